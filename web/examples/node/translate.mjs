/**
 * Translates standard input, as it comes and as it is translated: echo "How are you?" | node translate.mjs en de
 * It may be of any length: no more of it is held than whole lines that have come and are not translated yet.
 */
import { once } from 'node:events';
import { Translator } from 'dragoman';

const [sourceLanguage = 'en', targetLanguage = 'de'] = process.argv.slice(2);
try {
  const translator = await Translator.create({ sourceLanguage, targetLanguage });
  const translate = async (text) => {
    for await (const piece of translator.translateStreaming(text)) {
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    }
  };
  let line = '';
  for await (const text of process.stdin.setEncoding('utf8')) {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) await translate(line + text.slice(0, end));
    line = end > 0 ? text.slice(end) : line + text;
  }
  await translate(line);
  // Lets the process end.
  translator.destroy();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
