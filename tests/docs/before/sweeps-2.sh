export RUN=$(get /sweeps/wider | field "['best']['run']")
export OTHER=$(get /sweeps/wider/trials | python -c "import json, os, sys
print(next(one['run'] for one in json.load(sys.stdin)['results'] if str(one['run']) != os.environ['RUN']))")
