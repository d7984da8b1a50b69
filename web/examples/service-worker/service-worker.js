import { Translator } from './node_modules/dragoman/dist/same-thread.js';

/** Any page of the site, in German where its address ends with ?in=de: translated here, while it is on its way to the visitor. */

// The one that is loaded: with the first page, and again when the browser has ended this worker in between.
let translator;

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.mode === 'navigate' && url.search === '?in=de') event.respondWith(inGerman(url));
});

async function inGerman(url) {
  url.search = '';
  const response = await fetch(url);
  const html = await response.text();
  try {
    translator ??= Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
    const german = (await translator).translateStreaming(html.replace('lang="en"', 'lang="de"'), { format: 'html' });
    const { 'content-security-policy': policy = '' } = Object.fromEntries(response.headers);
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
    return new Response(german.pipeThrough(new TextEncoderStream()), { headers });
  } catch (error) {
    console.error(error);
    translator = undefined;
    return new Response(html, response);
  }
}
