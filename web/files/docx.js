import { ooxmlParts } from './ooxml.js';
import { member, zipDocument } from './zip.js';

const NAMESPACE = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const PROSE = /^word\/(document|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$/;

/** Word's documents. @param {Uint8Array} bytes */
export function read(bytes) {
  return zipDocument(bytes, (members) => {
    member(members, 'word/document.xml');
    return [...members.keys()].filter((name) => PROSE.test(name)).map((name) => [name, (xml) => ooxmlParts(xml, NAMESPACE)]);
  });
}
