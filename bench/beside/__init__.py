"""Large work on one dataset beside small requests: how long do the small ones wait?"""
