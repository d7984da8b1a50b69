#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <thread>

#include "base/error.h"
#include "cli/commands.h"

// Exit codes: 0 fine, 2 bad usage, 1 anything else with one line on stderr.
int main(int argc, char** argv) {
  using namespace dragoman;
  CLI::App app("Dragoman translates text on this machine.");
  app.require_subcommand(1);

  TranslateArguments translate, score;
  const auto add_common = [](CLI::App& command, TranslateArguments& arguments, const char* json) {
    arguments.engine.threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxHypotheses);
    command.add_option("--model", arguments.model, "model folder, e.g. weights/en-de")->required();
    command
        .add_option("--threads", arguments.engine.threads, "sentences are shared out over so many; default: the cores")
        ->check(CLI::Range(1, kMaxHypotheses));
    return command.add_flag("--json", arguments.json, json);
  };
  auto* translate_command = app.add_subcommand("translate", "translate standard input, a line in, a line out");
  auto* json =
      add_common(*translate_command, translate,
                 "print an object a line: translation, tokens, timing, alignment and scores (in UTF-16 units)");
  translate_command->add_flag("!--no-shortlist", translate.engine.shortlist, "choose among the whole vocabulary");
  translate_command
      ->add_option("--beam", translate.options.beam,
                   "hypotheses a sentence: 4 reads better and takes two to three times as long; default: 1, greedy")
      ->check(CLI::Range(1, kMaxHypotheses));
  translate_command->add_option("--prefix", translate.options.prefix,
                                "what each translation begins with; lines must be single sentences");
  translate_command
      ->add_option("--next-words", translate.options.next_words,
                   "in place of a translation, find so many words that may follow the prefix, as \"next_words\"")
      ->check(CLI::Range(1, kMaxHypotheses))
      ->needs(json);

  Sampling& sampling = translate.options.sampling;
  auto* temperature =
      translate_command->add_option("--temperature", sampling.temperature,
                                    "draw the pieces by chance: 1 as probable as they are, less: likelier ones");
  temperature->check(CLI::Range(0.0f, 100.0f));
  translate_command->add_option("--top-k", sampling.top_k, "draw of the so many likeliest")->needs(temperature);
  translate_command->add_option("--top-p", sampling.top_p, "draw of the fewest that are together as probable as this")
      ->needs(temperature);
  translate_command->add_option("--seed", sampling.seed, "the same seed, the same text; default: 0")
      ->needs(temperature);
  translate_command
      ->add_option("--glossary", translate.glossary,
                   "file of terms and their translations, a tab between them, a pair a line")
      ->check(CLI::ExistingFile);

  auto* score_command = app.add_subcommand(
      "score", "how probable is a translation? Lines of sentence, tab and translation in, its log-probability out");
  add_common(*score_command, score, "print an object a line, as translate does");

  std::string shortlist_model;
  auto* shortlist_command =
      app.add_subcommand("shortlist", "check a model's lexical shortlist on standard input's lines");
  shortlist_command->add_option("--model", shortlist_model, "model folder with one (scripts/models/shortlist.py)")
      ->required();

  std::string inspect_model;
  auto* inspect_command = app.add_subcommand(
      "inspect",
      "attention, hidden states and log-probabilities of standard input's sentences, as JSON; behind a tab a line may "
      "have its translation");
  inspect_command->add_option("--model", inspect_model, "model folder, e.g. weights/en-de")->required();

  std::string bench_model;
  auto* bench_command = app.add_subcommand("bench", "measure encoder and decoder, print CSV");
  bench_command->add_option("--model", bench_model, "model folder, e.g. weights/en-de")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    std::ios::sync_with_stdio(false);
    if (*translate_command) translate_lines(translate, std::cin, std::cout);
    if (*score_command) score_lines(score, std::cin, std::cout);
    if (*shortlist_command) check_shortlist(shortlist_model, std::cin, std::cout);
    if (*inspect_command) inspect_lines(inspect_model, std::cin, std::cout);
    if (*bench_command) bench(bench_model, std::cout);
    return 0;
  } catch (const Error& e) {
    std::cerr << "dragoman: " << code_name(e.code()) << ": " << e.what() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "dragoman: " << e.what() << '\n';
  }
  return 1;
}
