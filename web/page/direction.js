// Where to begin is soon clear, and a whole book need not be read for it.
const LOOKED_AT = 1000;
const FIRST_LETTER_RUNS_LEFT =
  /^\P{L}*[\p{Script=Adlam}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Mandaic}\p{Script=Mende_Kikakui}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u;

/**
 * What `dir` of a text box has to be for a text, by its first letter. The value "auto" does the same, but Chromium then takes minutes
 * to take in 10 MB.
 * @param {string} text
 */
export function directionOf(text) {
  if (!text) return '';
  return FIRST_LETTER_RUNS_LEFT.test(text.slice(0, LOOKED_AT)) ? 'rtl' : 'ltr';
}
