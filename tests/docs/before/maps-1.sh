wait_for_all
export DIGEST=$(get /datasets/pets/maps/1 | field "['points']" | cut -d= -f2)
