/**
 * Pictures made of rectangles, lines and words, for the screen and for a file.
 *
 * @typedef {{x: number, y: number, width: number, height: number, fill: string, title?: string}} Rectangle
 * @typedef {{x: number, y: number, text: string, fill: string, anchor?: 'start' | 'middle' | 'end', turned?: boolean}} Label turned:
 *   written upwards, aslant
 * @typedef {{x1: number, y1: number, x2: number, y2: number, stroke: string}} Line
 * @typedef {{width: number, height: number, ground: string, shapes: (Rectangle | Label | Line)[]}} Drawing
 */

const SVG = 'http://www.w3.org/2000/svg';
export const FONT_SIZE = 13;
const FONT = 'system-ui, sans-serif';
const SLANT = -50;

/**
 * @param {Drawing} drawing
 * @returns {SVGSVGElement}
 */
export function toSvg({ width, height, ground, shapes }) {
  const svg = /** @type {SVGSVGElement} */ (node('svg', { width, height, viewBox: `0 0 ${width} ${height}`, direction: 'ltr' }));
  svg.append(node('rect', { width, height, fill: ground }));
  for (const shape of shapes) {
    if ('text' in shape) {
      const { x, y, text, fill, anchor = 'start', turned } = shape;
      const transform = turned ? `rotate(${SLANT} ${x} ${y})` : '';
      const label = node('text', { x, y, fill, 'text-anchor': anchor, transform, 'font-size': FONT_SIZE, 'font-family': FONT });
      label.textContent = text;
      svg.append(label);
    } else if ('stroke' in shape) {
      svg.append(node('line', { ...shape }));
    } else {
      const { title, ...attributes } = shape;
      svg.append(node('rect', attributes));
    }
  }
  return svg;
}

/**
 * @param {Drawing} drawing
 * @returns {Promise<Blob>} a PNG, at twice the size
 */
export async function toPng({ width, height, ground, shapes }) {
  const canvas = new OffscreenCanvas(2 * width, 2 * height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.scale(2, 2);
  context.font = `${FONT_SIZE}px ${FONT}`;
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  for (const shape of shapes) {
    if ('text' in shape) {
      context.save();
      context.fillStyle = shape.fill;
      context.textAlign = shape.anchor === 'middle' ? 'center' : (shape.anchor ?? 'start');
      context.translate(shape.x, shape.y);
      if (shape.turned) context.rotate((SLANT * Math.PI) / 180);
      context.fillText(shape.text, 0, 0);
      context.restore();
    } else if ('stroke' in shape) {
      context.strokeStyle = shape.stroke;
      context.beginPath();
      context.moveTo(shape.x1, shape.y1);
      context.lineTo(shape.x2, shape.y2);
      context.stroke();
    } else {
      context.fillStyle = shape.fill;
      context.fillRect(shape.x, shape.y, shape.width, shape.height);
    }
  }
  return canvas.convertToBlob({ type: 'image/png' });
}

/**
 * @param {Blob} file
 * @param {string} name
 */
export function save(file, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {string} text as wide as it is likely to be, in pixels */
export function widthOf(text) {
  return Math.ceil(text.length * FONT_SIZE * 0.62);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function node(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== '') element.setAttribute(key, String(value));
  return element;
}
