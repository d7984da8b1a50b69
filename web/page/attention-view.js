import { save, toPng, toSvg } from './drawing.js';
import { button, create } from './elements.js';
import { CELL, heatMap, LIGHT, origin, palette } from './heat-map.js';
import { causalMask, paddingMask } from './masks.js';
import { counted, message } from './messages.js';

/**
 * What the decoder looked at, piece by piece, as a heat map: any layer and head or their mean. The sentence is translated once
 * more for it, so that a translation that nobody looks into costs nothing.
 *
 * @typedef {import('../engine/attention.js').Attention} Attention
 * @typedef {import('../engine/attention.js').SentenceAttention} SentenceAttention
 * @typedef {import('./heat-map.js').Table} Table
 * @typedef {import('./panels.js').Result} Result
 * @typedef {{attention: Attention, text: string, translation: string}} Found
 */

const MEAN = 'mean';
const ROW_MS = 90;
// A menu of a whole book's sentences helps nobody.
const MOST_SENTENCES = 50;

/**
 * @param {HTMLElement} section
 * @param {import('./panels.js').Page} page
 */
export function open(section, page) {
  const view = new AttentionView(section, page);
  return { show: (/** @type {Result} */ result) => view.show(result), close: () => view.close() };
}

class AttentionView {
  #page;
  #sentence = create('select', { id: 'attention-sentence' });
  #layer = create('select', { id: 'attention-layer' });
  #head = create('select', { id: 'attention-head' });
  #map = create('div', { className: 'heat-map', tabIndex: 0, role: 'group', ariaLabel: message('heatMap') });
  #readout = create('p', { className: 'note', role: 'status', textContent: message('heatMapHint') });
  #table = create('details', { className: 'as-table' }, create('summary', { textContent: message('asTable') }));
  #masks = create('div', { className: 'masks' });
  #empty = create('p', { className: 'note', textContent: message('nothingToSee') });
  #content = create('div', { hidden: true });
  /** @type {Result | undefined} */
  #result;
  /** @type {Found | undefined} */
  #found;
  /** @type {Table} */
  #shown = { rows: [], columns: [], weights: [] };
  /** The cell that keys move. @type {[row: number, column: number]} */
  #cell = [0, 0];
  /** @type {AbortController | undefined} */
  #run;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #scheme = matchMedia('(prefers-color-scheme: dark)');

  /**
   * @param {HTMLElement} section
   * @param {import('./panels.js').Page} page
   */
  constructor(section, page) {
    this.#page = page;
    const labelled = (/** @type {keyof typeof import('./messages-en.js').en} */ key, /** @type {HTMLSelectElement} */ menu) =>
      create('span', { className: 'choice' }, create('label', { htmlFor: menu.id, textContent: message(key) }), menu);
    const bar = create(
      'div',
      { className: 'panel-bar' },
      create(
        'div',
        { className: 'choices' },
        labelled('sentence', this.#sentence),
        labelled('layer', this.#layer),
        labelled('head', this.#head),
      ),
      create(
        'div',
        {},
        button(message('replay'), () => this.#grow()),
        button('PNG', () => this.#save('png')),
        button('SVG', () => this.#save('svg')),
      ),
    );
    this.#content.append(bar, this.#map, this.#readout, this.#table, this.#masks);
    section.append(this.#empty, this.#content);
    this.#sentence.addEventListener('change', () => this.#look());
    for (const menu of [this.#layer, this.#head]) menu.addEventListener('change', () => this.#draw());
    this.#table.addEventListener('toggle', () => this.#fillTable());
    this.#map.addEventListener('keydown', (event) => this.#onKey(event));
    this.#map.addEventListener('pointermove', (event) => this.#onPointer(event));
    this.#map.addEventListener('click', (event) => this.#onPointer(event));
    this.#scheme.addEventListener('change', this.#onScheme);
  }

  #onScheme = () => this.#found && this.#draw();

  close() {
    this.#run?.abort();
    clearInterval(this.#timer);
    this.#scheme.removeEventListener('change', this.#onScheme);
  }

  /** @param {Result} result */
  async show(result) {
    this.#result = result;
    const sentences = result.alignment?.sentences.source.slice(0, MOST_SENTENCES) ?? [];
    const options = sentences.map(
      ([start, end], i) => new Option(`${i + 1}. ${result.text.slice(start, end).slice(0, 40)}`, `${i}`),
    );
    this.#sentence.replaceChildren(...options);
    /** @type {HTMLElement} */ (this.#sentence.parentElement).hidden = options.length < 2;
    await this.#look();
  }

  async #look() {
    this.#run?.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const range = this.#result?.alignment?.sentences.source[Number(this.#sentence.value)];
    if (!this.#result || !range) return this.#nothing();
    const text = this.#result.text.slice(...range);
    const translator = await this.#page.translator(this.#result.pair);
    /** @type {Attention | undefined} */
    let attention;
    let translation = '';
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    try {
      const options = { signal, attention: true, onAttention: (/** @type {Attention} */ news) => (attention = news) };
      for await (const piece of translator.translateStreaming(text, options)) {
        translation += piece;
        if (attention && !still) this.#show({ attention, text, translation });
      }
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (!attention || attention.sentences.every(({ weights }) => weights.length === 0)) return this.#nothing();
    this.#show({ attention, text, translation });
    this.#drawMasks(attention, /** @type {import('../engine/alignment.js').Alignment} */ (this.#result.alignment));
  }

  /** @param {Found} found so far */
  #show(found) {
    this.#found = found;
    this.#empty.hidden = true;
    this.#content.hidden = false;
    this.#offer(this.#layer, found.attention.layers);
    this.#offer(this.#head, found.attention.heads);
    this.#cell = [0, 0];
    this.#draw();
  }

  #nothing() {
    this.#found = undefined;
    this.#empty.hidden = false;
    this.#content.hidden = true;
  }

  /**
   * @param {HTMLSelectElement} menu
   * @param {number} count
   */
  #offer(menu, count) {
    const { value } = menu;
    const single = Array.from({ length: count }, (_, i) => new Option(String(i + 1), String(i)));
    menu.replaceChildren(new Option(message('mean'), MEAN), ...single);
    menu.value = value !== '' && Number(value) < count ? value : MEAN;
  }

  /** A row at a time, as it was written, so slowly that eyes can follow. */
  #grow() {
    clearInterval(this.#timer);
    let rows = 0;
    const { length } = this.#read().rows;
    const more = () => {
      this.#draw(++rows);
      if (rows < length) return;
      clearInterval(this.#timer);
    };
    this.#timer = setInterval(more, ROW_MS);
    more();
  }

  /** @param {number} [rows] all of them, unless told */
  #draw(rows) {
    if (rows === undefined) clearInterval(this.#timer);
    this.#shown = this.#read();
    const { weights } = this.#shown;
    const picture = toSvg(heatMap({ ...this.#shown, weights: weights.slice(0, rows ?? weights.length) }, palette()));
    picture.ariaHidden = 'true';
    this.#map.replaceChildren(picture);
    if (rows === undefined || rows >= weights.length) this.#fillTable();
  }

  /** The chosen layer and head of the sentence. */
  #read() {
    const { attention, text, translation } = /** @type {Found} */ (this.#found);
    /** @type {Table} */
    const table = { rows: [], columns: [], weights: [] };
    // What is one sentence of many may be two by itself.
    for (const sentence of attention.sentences) append(table, sentence, this.#chosen(attention), text, translation);
    // A mean of many heads has no cell near one: its colours would all be pale.
    table.most = Math.max(0.01, ...table.weights.flat());
    return table;
  }

  /**
   * @param {Attention} attention
   * @returns {number[]} which of all heads, layer by layer
   */
  #chosen({ layers, heads }) {
    const of = (/** @type {HTMLSelectElement} */ menu, /** @type {number} */ count) =>
      menu.value === MEAN || menu.value === '' ? [...Array(count).keys()] : [Number(menu.value)];
    return of(this.#layer, layers).flatMap((layer) => of(this.#head, heads).map((head) => layer * heads + head));
  }

  #fillTable() {
    this.#table.querySelector('.table-frame')?.remove();
    if (!this.#table.open) return;
    const { rows, columns, weights } = this.#shown;
    const heading = (/** @type {string} */ text, /** @type {string} */ scope) => create('th', { scope, textContent: text });
    const head = create('tr', {}, create('td'), ...columns.map((text) => heading(text, 'col')));
    const body = rows.map((text, row) =>
      create('tr', {}, heading(text, 'row'), ...weights[row].map((weight) => create('td', { textContent: percent(weight) }))),
    );
    const table = create('table', {}, create('thead', {}, head), create('tbody', {}, ...body));
    table.createCaption().textContent = message('heatMapTable');
    const frame = create('div', { className: 'table-frame', tabIndex: 0, role: 'group', ariaLabel: message('asTable') }, table);
    this.#table.append(frame);
  }

  /**
   * @param {Attention} attention of the sentence
   * @param {import('../engine/alignment.js').Alignment} alignment of the whole text
   */
  #drawMasks(attention, { sentences, pieces }) {
    const colours = palette();
    const lengths = sentences.source.map(
      ([first, last]) => pieces.source.filter(([start, end]) => start >= first && end <= last).length,
    );
    const written = Math.max(...attention.sentences.map(({ target }) => target.length));
    const figure = (/** @type {import('./drawing.js').Drawing} */ drawing, /** @type {string} */ text) => {
      const picture = toSvg(drawing);
      picture.ariaHidden = 'true';
      return create('figure', {}, picture, create('figcaption', { textContent: text }));
    };
    const longest = Math.max(...lengths);
    const padding = longest * lengths.length - lengths.reduce((a, b) => a + b, 0);
    this.#masks.replaceChildren(
      figure(causalMask(written, colours), message('causalMask')),
      figure(paddingMask(lengths, colours), message('paddingMask', { padding: counted('piece', padding) })),
    );
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    if (down === 0 && right === 0) return;
    event.preventDefault();
    const { rows, columns } = this.#shown;
    const within = (/** @type {number} */ at, /** @type {number} */ count) => Math.min(Math.max(at, 0), count - 1);
    this.#cell = [within(this.#cell[0] + down, rows.length), within(this.#cell[1] + right, columns.length)];
    this.#point();
  }

  /** @param {PointerEvent | MouseEvent} event */
  #onPointer({ clientX, clientY }) {
    const picture = this.#map.firstElementChild;
    if (!picture) return;
    const { left, top } = picture.getBoundingClientRect();
    const { x, y } = origin(this.#shown);
    const [row, column] = [Math.floor((clientY - top - y) / CELL), Math.floor((clientX - left - x) / CELL)];
    if (this.#shown.weights[row]?.[column] === undefined) return;
    this.#cell = [row, column];
    this.#point();
  }

  /** Says what the cell holds, and frames it. */
  #point() {
    const [row, column] = this.#cell;
    const { rows, columns, weights } = this.#shown;
    const values = { row: rows[row], column: columns[column], percent: percent(weights[row][column]) };
    this.#readout.textContent = message('heatMapCell', values);
    const picture = this.#map.firstElementChild;
    const { x, y } = origin(this.#shown);
    const frame = picture?.querySelector('.frame') ?? document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const place = { class: 'frame', x: x + column * CELL, y: y + row * CELL, width: CELL - 1, height: CELL - 1, fill: 'none' };
    for (const [name, value] of Object.entries({ ...place, stroke: palette().ink, 'stroke-width': 2 })) {
      frame.setAttribute(name, String(value));
    }
    picture?.append(frame);
  }

  /** @param {'png' | 'svg'} kind on white, whatever the screen shows */
  async #save(kind) {
    const drawing = heatMap(this.#shown, LIGHT);
    const file =
      kind === 'png'
        ? await toPng(drawing)
        : new Blob([new XMLSerializer().serializeToString(toSvg(drawing))], { type: 'image/svg+xml' });
    save(file, `dragoman-attention.${kind}`);
  }
}

/**
 * @param {Table} table
 * @param {SentenceAttention} sentence
 * @param {number[]} chosen heads, whose mean it is
 * @param {string} text
 * @param {string} translation
 */
function append(table, { source, target, weights }, chosen, text, translation) {
  if (weights.length === 0) return;
  const columns = source.length + 1;
  const before = table.columns.length;
  for (const row of table.weights) row.push(...Array(columns).fill(0));
  table.columns.push(...source.map((range) => piece(text, range)), message('endOfSentence'));
  for (const [t, range] of target.entries()) {
    table.rows.push(piece(translation, range));
    const mean = (/** @type {number} */ s) =>
      chosen.reduce((sum, head) => sum + weights[(head * target.length + t) * columns + s], 0) / chosen.length;
    table.weights.push([...Array(before).fill(0), ...Array.from({ length: columns }, (_, s) => mean(s))]);
  }
}

/**
 * @param {string} text
 * @param {[number, number]} range
 */
function piece(text, [start, end]) {
  return text.slice(start, end).trim() || '·';
}

/** @param {number} weight */
function percent(weight) {
  return `${Math.round(weight * 100)} %`;
}
