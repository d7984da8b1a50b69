/** Translates standard input, as it is translated: echo "How are you?" | node translate.mjs en de */
import { text } from 'node:stream/consumers';
import { Translator } from 'dragoman';

const [sourceLanguage = 'en', targetLanguage = 'de'] = process.argv.slice(2);
try {
  const translator = await Translator.create({ sourceLanguage, targetLanguage });
  for await (const piece of translator.translateStreaming(await text(process.stdin))) process.stdout.write(piece);
  // Lets the process end.
  translator.destroy();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
