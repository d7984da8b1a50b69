/**
 * What the page's Content-Security-Policy, Trusted Types and subresource integrity refuse, and that nothing of ours needs what they
 * refuse. The policy is the header's, and on a host that sends none the page's own.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, beforeEach, test } from 'node:test';
import { HEADERS } from '../../scripts/site/serve.mjs';
import { inEachBrowser } from './support/browsers.mjs';
import { expected } from './support/expected.mjs';
import { answers, openSite } from './support/site.mjs';

const SENTENCE = 'I like to read books in the evening.';
const [TRANSLATION] = await expected([SENTENCE]);
const { 'Content-Security-Policy': _, ...NO_POLICY } = HEADERS;

/**
 * For the page to run as a script of its own (what a test evaluates in a page may use eval whatever the page says).
 * @returns {Promise<string[]>} the names of those attempts, each at code that is not the page's own, that got through
 */
async function attack() {
  const ran = [];
  window.ran = (what) => ran.push(what);
  const attempts = {
    // biome-ignore lint/security/noGlobalEval: it must be refused
    eval: () => window.eval('1') === 1 && ran.push('eval'),
    Function: () => new Function('return 1')() === 1 && ran.push('Function'),
    setTimeout: () => setTimeout('ran("setTimeout")', 0),
    innerHTML: () => {
      document.createElement('div').innerHTML = '<img src="x" onerror="ran(\'innerHTML\')">';
      ran.push('innerHTML');
    },
    insertAdjacentHTML: () => document.body.insertAdjacentHTML('beforeend', '<b>x</b>') ?? ran.push('insertAdjacentHTML'),
    srcdoc: () => {
      document.createElement('iframe').srcdoc = '<script>parent.ran("srcdoc")</script>';
      ran.push('srcdoc');
    },
    DOMParser: () => new DOMParser().parseFromString('<b>x</b>', 'text/html') && ran.push('DOMParser'),
    'script text': () => {
      const script = document.createElement('script');
      script.append('ran("script text")');
      document.head.append(script);
    },
    'script from elsewhere': () => {
      const script = document.createElement('script');
      script.src = 'data:text/javascript,ran("script from elsewhere")';
      document.head.append(script);
    },
    'inline handler': () => {
      const button = document.createElement('button');
      button.setAttribute('onclick', 'ran("inline handler")');
      button.click();
    },
    'worker from a string': () => new Worker('worker.js', { type: 'module' }) && ran.push('worker from a string'),
    'service worker from a string': async () => {
      await navigator.serviceWorker.register('service-worker.js?other');
      ran.push('service worker from a string');
    },
    'another policy': () => trustedTypes.createPolicy('other', {}) && ran.push('another policy'),
    'default policy': () => trustedTypes.createPolicy('default', {}) && ran.push('default policy'),
    'module from elsewhere': () => import('data:text/javascript,window.ran("module from elsewhere")'),
    'another origin': async () => {
      await fetch('http://insecure.test:1/', { mode: 'no-cors' });
      ran.push('another origin');
    },
    style: () => {
      const style = document.createElement('style');
      style.append('body { --leak: 1 }');
      document.head.append(style);
      if (getComputedStyle(document.body).getPropertyValue('--leak')) ran.push('style');
    },
    frame: async () => {
      const frame = document.createElement('iframe');
      frame.src = '/blank.html';
      document.body.append(frame);
      await new Promise((go) => setTimeout(go, 300));
      if (frame.contentDocument?.querySelector('p')) ran.push('frame');
    },
  };
  for (const attempt of Object.values(attempts)) {
    try {
      await attempt();
    } catch {}
  }
  await new Promise((go) => setTimeout(go, 200));
  return ran;
}

inEachBrowser((environment) => {
  let site, plainHost, browser;

  before(async () => {
    ({ site, browser } = environment);
    plainHost = await openSite({ headers: NO_POLICY });
    for (const { folder } of [site, plainHost]) await writeFile(`${folder}/attack.js`, `export default ${attack}`);
  });

  beforeEach(() => site.rules.clear());

  after(() => plainHost.close());

  async function openPage(url) {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(() => {
      window.violations = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        window.violations.push(`${effectiveDirective} ${blockedURI}`),
      );
    });
    await page.goto(url);
    return page;
  }

  const translated = async (page) => {
    await page.fill('#source', SENTENCE);
    await page.waitForFunction((wanted) => document.querySelector('#target').innerText === wanted, TRANSLATION);
  };

  for (const host of ['a host with headers', 'a host without']) {
    test(`the page breaks none of its own rules, and no foreign code gets in: ${host}`, async () => {
      const page = await openPage(host === 'a host without' ? plainHost.url : site.url);
      await translated(page);
      await page.waitForSelector('#offline:visible');
      assert.deepEqual(await page.evaluate(() => window.violations), []);
      assert.deepEqual(await page.evaluate(async () => (await import('/attack.js')).default()), []);
      await page.context().close();
    });
  }

  const changed = async (path) => {
    const bytes = await readFile(`${site.folder}${path}`);
    bytes[bytes.length - 1] ^= 1;
    return (_, response) => response.writeHead(200, { 'Content-Type': 'application/wasm' }).end(bytes);
  };

  const translate = (page) =>
    page.evaluate(async (sentence) => {
      const { Translator } = await import('/dragoman.js');
      try {
        const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
        const text = await translator.translate(sentence);
        translator.destroy();
        return text;
      } catch ({ name, message }) {
        return { name, message };
      }
    }, SENTENCE);

  test('a wasm module of which a bit is not as it was built never runs; the next call works', async () => {
    const page = await openPage(`${site.url}blank.html`);
    for (const build of ['', '-threads']) {
      site.rules.set(`/core/dragoman-core${build}.wasm`, await changed(`/core/dragoman-core${build}.wasm`));
    }
    const failure = await translate(page);
    assert.equal(failure.name, 'NetworkError', failure.message);
    assert.match(failure.message, /engine could not be fetched/);
    site.rules.clear();
    assert.equal(await translate(page), TRANSLATION);
    await page.context().close();
  });

  test('fast kernels of which a bit is not as it was built are done without', async () => {
    const page = await openPage(`${site.url}blank.html`);
    for (const build of ['', '-threads']) {
      site.rules.set(`/core/dragoman-relaxed${build}.wasm`, await changed(`/core/dragoman-relaxed${build}.wasm`));
    }
    assert.equal(await translate(page), TRANSLATION);
    await page.context().close();
  });

  test('a file of another version, or of a captive portal: the page is not kept half, and works', async () => {
    site.rules.set('/page.js', (request, response, serveFile) => {
      // Only what the service worker asks for: the page has its own by then.
      if (request.headers['sec-fetch-dest'] === 'script') serveFile();
      else answers.html(request, response);
    });
    const page = await openPage(site.url);
    await translated(page);
    await page.evaluate(async () => {
      while (!(await caches.keys()).some((name) => name.startsWith('dragoman-models')))
        await new Promise((go) => setTimeout(go, 50));
      while ((await navigator.serviceWorker.getRegistration())?.installing) await new Promise((go) => setTimeout(go, 50));
    });
    const kept = await page.evaluate(async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith('dragoman-page'));
      const entries = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
      return { entries: entries.reduce((sum, count) => sum + count, 0), active: Boolean(navigator.serviceWorker.controller) };
    });
    assert.deepEqual(kept, { entries: 0, active: false });
    assert.equal(await page.isVisible('#offline'), false);
    await page.context().close();
  });
});
