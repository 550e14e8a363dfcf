"""The edge of mining: strategies, mining jobs, pipelines and their rounds."""
