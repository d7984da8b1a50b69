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

  TranslateArguments translate;
  translate.engine.threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxHypotheses);
  auto* translate_command = app.add_subcommand("translate", "translate standard input, a line in, a line out");
  translate_command->add_option("--model", translate.model, "model folder, e.g. weights/en-de")->required();
  translate_command
      ->add_option("--threads", translate.engine.threads, "sentences are shared out over so many; default: the cores")
      ->check(CLI::Range(1, kMaxHypotheses));
  translate_command->add_flag("!--no-shortlist", translate.engine.shortlist, "choose among the whole vocabulary");
  translate_command->add_flag(
      "--json", translate.json,
      "print an object a line: translation, tokens, score, timing, alignment (in UTF-16 units)");
  translate_command
      ->add_option("--beam", translate.options.beam,
                   "hypotheses a sentence: 4 reads better and takes three times as long; default: 1, greedy")
      ->check(CLI::Range(1, kMaxHypotheses));

  std::string shortlist_model;
  auto* shortlist_command =
      app.add_subcommand("shortlist", "check a model's lexical shortlist on standard input's lines");
  shortlist_command->add_option("--model", shortlist_model, "model folder with one (scripts/models/shortlist.py)")
      ->required();

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
    if (*shortlist_command) check_shortlist(shortlist_model, std::cin, std::cout);
    if (*bench_command) bench(bench_model, std::cout);
    return 0;
  } catch (const Error& e) {
    std::cerr << "dragoman: " << code_name(e.code()) << ": " << e.what() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "dragoman: " << e.what() << '\n';
  }
  return 1;
}
