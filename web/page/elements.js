/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Partial<HTMLElementTagNameMap[K]>} [properties]
 * @param {(Node | string)[]} content
 * @returns {HTMLElementTagNameMap[K]}
 */
export function create(name, properties = {}, ...content) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...content);
  return element;
}

/**
 * @param {string} text
 * @param {() => void} onClick
 */
export function button(text, onClick) {
  const made = create('button', { type: 'button', className: 'text-button', textContent: text });
  made.addEventListener('click', onClick);
  return made;
}
