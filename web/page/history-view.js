import { button, create } from './elements.js';
import { locale, message } from './messages.js';

/**
 * The list of what was translated: each goes back into the text box, or away.
 * @param {HTMLElement} section
 * @param {import('./panels.js').Page} page
 */
export function open(section, { history, bring, nameOf }) {
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const keep = /** @type {HTMLInputElement} */ (create('input', { type: 'checkbox', id: 'history-keep' }));
  keep.addEventListener('change', () => (history.isKept = keep.checked));
  const list = create('ul', { className: 'history' });
  const eraseAll = button(message('eraseAll'), () => {
    history.erase();
    keep.focus();
  });
  const empty = create('p', { className: 'note', textContent: message('historyEmpty') });
  const label = create('label', { htmlFor: keep.id, className: 'check' }, keep, message('historyKeep'));
  section.append(create('div', { className: 'panel-bar' }, label, eraseAll), empty, list);

  /** @param {import('./history.js').Entry} entry */
  const item = (entry) => {
    const text = create('span', { className: 'history-text', lang: entry.from, dir: 'auto', textContent: entry.text });
    const translation = create('span', {
      className: 'history-text',
      lang: entry.to,
      dir: 'auto',
      textContent: entry.translation,
    });
    const when = `${nameOf(entry.from)} → ${nameOf(entry.to)} · ${times.format(entry.time)}`;
    const back = button('', () => bring(entry));
    back.append(text, translation, create('span', { className: 'note', textContent: when }));
    const erase = button(message('erase'), () => {
      const index = [...list.children].indexOf(/** @type {Element} */ (erase.parentElement));
      history.erase(entry);
      const next = [...list.children].at(Math.min(index, list.children.length - 1))?.lastElementChild;
      (next instanceof HTMLElement ? next : keep).focus();
    });
    erase.ariaLabel = message('eraseOne', { text: entry.text.slice(0, 40) });
    return create('li', {}, back, erase);
  };
  const show = () => {
    const { entries } = history;
    keep.checked = history.isKept;
    list.replaceChildren(...entries.map(item));
    eraseAll.hidden = list.hidden = entries.length === 0;
    empty.hidden = entries.length > 0;
  };
  history.onChange = show;
  history.settle();
  show();
  return { show: () => {}, close: () => (history.onChange = () => {}) };
}
