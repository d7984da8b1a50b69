import { Dragoman, Translator } from './node_modules/dragoman/dist/dragoman.js';

// Remote Settings' answer for the collection of translation models, kept on this server with the attachments beside it.
const RECORDS = new URL('remote-settings/records.json', import.meta.url);

const [from, to] = document.querySelectorAll('select');
const input = document.querySelector('textarea');
const progress = document.querySelector('progress');
const [output, status] = ['output', 'status'].map((id) => document.getElementById(id));
const names = new Intl.DisplayNames(['en'], { type: 'language' });
let translator;

const { data } = await (await fetch(RECORDS)).json();
const manifest = Dragoman.remoteSettingsManifest(data, RECORDS);
Dragoman.registerModel(manifest);

function fill(select, tags, wanted = select.value) {
  const options = [...new Set(tags)].map((tag) => new Option(names.of(tag), tag));
  select.replaceChildren(...options.sort((a, b) => a.text.localeCompare(b.text)));
  if (tags.includes(wanted)) select.value = wanted;
}

/** From one language into all others that its model reaches, directly or through English. */
function targets(source) {
  const direct = (tag) => manifest.models.filter((model) => model.sourceLanguage === tag).map((model) => model.targetLanguage);
  const throughEnglish = direct(source).includes('en') ? direct('en') : [];
  return [...direct(source), ...throughEnglish].filter((tag) => tag !== source);
}

/** One translator at a time: a model takes memory. */
async function chosen() {
  if (translator?.sourceLanguage === from.value && translator?.targetLanguage === to.value) return translator;
  translator?.destroy();
  translator = undefined;
  progress.hidden = false;
  try {
    translator = await Translator.create({
      sourceLanguage: from.value,
      targetLanguage: to.value,
      monitor: (monitor) => monitor.addEventListener('downloadprogress', ({ loaded }) => (progress.value = loaded)),
    });
  } finally {
    progress.hidden = true;
  }
  return translator;
}

from.addEventListener('change', () => fill(to, targets(from.value)));
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  output.textContent = '';
  output.lang = to.value;
  status.textContent = 'One moment …';
  try {
    const stream = (await chosen()).translateStreaming(input.value);
    for await (const piece of stream) output.append(piece);
    status.textContent = 'Done';
  } catch (error) {
    status.textContent = error.message;
  }
});

fill(
  from,
  manifest.models.map((model) => model.sourceLanguage),
  'en',
);
fill(to, targets(from.value));

if ('serviceWorker' in navigator) {
  await navigator.serviceWorker.register('service-worker.js');
  await navigator.serviceWorker.ready;
  // What came before the service worker did.
  const cache = await caches.open('firefox-models-page');
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  await Promise.allSettled([location.href, ...new Set(loaded)].map((address) => cache.add(address)));
  status.textContent = 'This page needs no network any more.';
}
