rm -f model.onnx  # of another page
