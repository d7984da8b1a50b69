import { ooxmlParts } from './ooxml.js';
import { member, zipDocument } from './zip.js';

const NAMESPACE = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const PROSE = /^ppt\/(slides|notesSlides|charts|diagrams)\/[^/]+\.xml$/;

/** PowerPoint's presentations, with notes and what is written in diagrams. @param {Uint8Array} bytes */
export function read(bytes) {
  return zipDocument(bytes, (members) => {
    member(members, 'ppt/presentation.xml');
    const names = [...members.keys()]
      .filter((name) => PROSE.test(name))
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return names.map((name) => [name, (xml) => ooxmlParts(xml, NAMESPACE)]);
  });
}
