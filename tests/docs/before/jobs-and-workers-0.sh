lode run start pets-cnn --dataset pets --set recipe.steps=600
export JOB=$(first /jobs id)
