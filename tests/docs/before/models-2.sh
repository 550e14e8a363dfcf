wait_for_all  # the precisions of what was trained are proved after it
command lode run start pets-cnn --dataset pets@v3 --set recipe.steps=100000
export RUN=$(first /runs id)
