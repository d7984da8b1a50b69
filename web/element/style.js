/**
 * The look of `<dragoman-translate>`. A constructed style sheet, because a strict Content-Security-Policy forbids <style>. The
 * custom properties are the theme: set them on the element or anywhere above it.
 */
const CSS = `
:host {
  --_ink: var(--dragoman-ink, light-dark(#1d1f1e, #eceeed));
  --_soft: var(--dragoman-soft, light-dark(#5c615f, #a4abaa));
  --_ground: var(--dragoman-ground, light-dark(#ffffff, #1b1e21));
  --_tint: var(--dragoman-tint, light-dark(#f4f6f5, #23282b));
  --_line: var(--dragoman-line, light-dark(#858a88, #7d8583));
  --_accent: var(--dragoman-accent, light-dark(#0b6b62, #62d3c4));
  --_alarm: var(--dragoman-alarm, light-dark(#a1261d, #ff9d92));
  --_radius: var(--dragoman-radius, 0.5rem);
  --_gap: var(--dragoman-gap, 0.75rem);
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr));
  gap: var(--_gap);
  font: inherit;
  color: var(--_ink);
}
:host([hidden]), [hidden] { display: none; }
textarea, [role='textbox'] {
  box-sizing: border-box;
  width: 100%;
  min-height: 6rem;
  margin: 0;
  padding: var(--_gap);
  font: inherit;
  line-height: 1.5;
  color: inherit;
  background: var(--_ground);
  border: 1px solid var(--_line);
  border-radius: var(--_radius);
}
textarea { resize: vertical; }
textarea::placeholder { color: var(--_soft); opacity: 1; }
textarea:disabled { opacity: 0.6; }
[role='textbox'] { background: var(--_tint); border-color: transparent; white-space: pre-wrap; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 1px; }
p, progress, button { grid-column: 1 / -1; margin: 0; }
p:empty { display: none; }
[part='status'] { color: var(--_alarm); }
progress { width: 100%; accent-color: var(--_accent); }
button {
  justify-self: start;
  min-height: 2.75rem;
  padding: 0 1rem;
  font: inherit;
  color: var(--_ground);
  background: var(--_accent);
  border: 0;
  border-radius: var(--_radius);
}
.announcer { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

/** @type {CSSStyleSheet | undefined} */
let shared;

/** One sheet for all elements of the page, made with the first. */
export function sheet() {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(CSS);
  }
  return shared;
}
