stop_all
export RUN=1 STEP=$(first /runs/1/snapshots step)
