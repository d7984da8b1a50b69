#!/usr/bin/env bash
# The training recipe, end to end on a small grammar: text to model folder, then the core translates training sentences with
# it, float, int8 and as Marian's files, with decoders of self-attention and of SSRUs. Prints TAP; exit status 1 when a test fails. Wants build/native/dragoman and the Python packages of
# scripts/training/README.md.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0
check() {   # name, exit status
  count=$((count + 1))
  if [ "$2" = 0 ]; then echo "ok $count - $1"; else echo "not ok $count - $1"; failed=1; fi
}
wrong() {   # model folder: how many of the sentences the core does not translate as the training text does
  build/native/dragoman translate --model "$1" < "$work/source" > "$work/output" || { echo all; return; }
  paste "$work/output" "$work/target" | awk -F'\t' '$1 != $2' | wc -l
}

echo 1..14
began=$SECONDS
scripts/train --tiny --out "$work/float" > "$work/log" 2>&1
check "training ends well" $?
sed 's/^/# /' "$work/log"
echo "# $((SECONDS - began)) s"
scripts/models/quantize.py "$work/float" "$work/int8"
check "the result can be quantised" $?

PYTHONPATH=scripts/training PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import tiny_text
for pair in tiny_text.pairs()[:200]: print('\t'.join(pair))" > "$work/pairs.en-de.tsv"
cut -f1 "$work/pairs.en-de.tsv" > "$work/source"
cut -f2 "$work/pairs.en-de.tsv" > "$work/target"
for kind in float int8; do
  bad=$(wrong "$work/$kind")
  echo "# $kind: $bad of 200 training sentences differ"
  [ "$bad" != all ] && [ "$bad" -le 20 ]
  check "the core translates its training sentences ($kind)" $?
done

scripts/models/shortlist.py "$work/int8" "$work/pairs.en-de.tsv" --best 8 --frequent 16 > "$work/log" &&
  build/native/dragoman shortlist --model "$work/int8" < "$work/source" >> "$work/log"
sed 's/^/# /' "$work/log"
missing=$(sed -n 's/^likeliest piece missing: .* in \([0-9]*\) of 200 sentences$/\1/p' "$work/log")
[ -n "$missing" ] && [ "$missing" -le 10 ] && bad=$(wrong "$work/int8") && [ "$bad" != all ] && [ "$bad" -le 20 ]
check "a lexical shortlist holds what its sentences become" $?

PYTHONPATH=scripts/training:scripts/models PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import json, sys, network
states = []
for kind in 'float', 'int8':
    with open(f'$work/{kind}/config.json', encoding='utf-8') as file: model = network.Translator(json.load(file), 0.0)
    network.load(model, f'$work/{kind}')
    states.append(model.state_dict())
apart = max(float((states[0][name] - states[1][name]).abs().max() / states[0][name].abs().max()) for name in states[0])
print(f'# the largest difference of a weight: {apart:.4f} of the largest weight')
sys.exit(not 0 < apart < 0.02)"
check "training can go on from float and from int8 weights" $?

scripts/train average --models "$work/float:3" "$work/int8" --out "$work/average" &&
  bad=$(wrong "$work/average") && [ "$bad" != all ] && [ "$bad" -le 20 ]
check "the average of a model with itself as int8 is that model" $?

scripts/train grow --model "$work/int8" --out "$work/wide" --ffn 100 &&
  bad=$(wrong "$work/wide") && echo "# wider: $bad differ" && [ "$bad" != all ] && [ "$bad" -le 20 ]
check "wider feed-forward layers change nothing" $?
scripts/train grow --model "$work/wide" --out "$work/deep" --encoder-layers 3 &&
  bad=$(wrong "$work/deep") && echo "# deeper: $bad differ" && [ "$bad" != all ] && [ "$bad" -le 40 ]
check "more encoder layers change little" $?
! scripts/train grow --model "$work/wide" --out "$work/none" --ffn 40 2> "$work/log" &&
  grep -q '^train: .* feed-forward layers of 100 units and 1 encoder layers; ask for more' "$work/log"
check "what would shrink is refused" $?

head -n 100 "$work/pairs.en-de.tsv" > "$work/good.en-de.tsv"
sed -n 101,120p "$work/source" | sed 's/$/\tLorem ipsum, quo vadis?/' | cat "$work/good.en-de.tsv" - > "$work/mixed.en-de.tsv"
scripts/train distil --model "$work/float" --pairs "$work/mixed.en-de.tsv" --out "$work/distilled.en-de.tsv" > "$work/log" 2>&1
sed 's/^/# /' "$work/log"
[ "$(wc -l < "$work/distilled.en-de.tsv")" -ge 90 ] && ! grep -qvxFf <(cut -f1 "$work/good.en-de.tsv") <(cut -f1 "$work/distilled.en-de.tsv")
check "distilled text has the translations near their references, and no others" $?
began=$SECONDS
scripts/train --tiny --decoder-unit ssru --init "$work/float" --out "$work/ssru" > "$work/log" 2>&1 &&
  scripts/models/quantize.py "$work/ssru" "$work/ssru-int8"
check "training goes on with SSRUs in place of the decoder's self-attention" $?
sed 's/^/# /' "$work/log"
echo "# $((SECONDS - began)) s"
for kind in int8 ssru; do scripts/train marian --model "$work/$kind" --pairs "$work/pairs.en-de.tsv" --out "$work/marian-$kind"; done
bad=$(wrong "$work/ssru-int8") && [ "$bad" != all ] && [ "$bad" -le 20 ]
check "the core translates its training sentences (SSRUs, int8)" $?
marian=0
for kind in int8 ssru; do
  bad=$(wrong "$work/marian-$kind")
  echo "# Marian's file of $kind: $bad of 200 training sentences differ"
  if [ "$bad" = all ] || [ "$bad" -gt 20 ]; then marian=1; fi
done
check "the core translates its training sentences by the files that Marian's reader takes" $marian
exit $failed
