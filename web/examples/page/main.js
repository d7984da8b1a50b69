import { translateElement } from './node_modules/dragoman/dist/dragoman.js';

const [translate, original, status] = ['translate', 'original', 'status'].map((id) => document.getElementById(id));
let translation;

translate.addEventListener('click', async () => {
  translate.hidden = true;
  status.textContent = 'Einen Augenblick …';
  try {
    translation = await translateElement(document.querySelector('#article'), { sourceLanguage: 'en', targetLanguage: 'de' });
    original.hidden = false;
    await translation.finished;
    status.textContent = '';
  } catch (error) {
    status.textContent = error.message;
    translate.hidden = false;
  }
});

original.addEventListener('click', () => {
  translation.undo();
  original.hidden = true;
  translate.hidden = false;
});
