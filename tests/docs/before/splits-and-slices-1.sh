lode dataset push signs drives --annotations signs.jsonl
