lode queue create pets-8 pets --review 1 --sample train/cat/1.jpg --sample train/dog/1.jpg
ZOE=$(command lode people add zoe --role annotator | tail -1)
MOTHERLODE_TOKEN=$ZOE lode annotate pets-8 --truth truth.jsonl
export REVIEW=$(first /labeling/reviews id)
lode queue create pets-9 pets --sample train/cat/3.jpg --sample train/dog/3.jpg
