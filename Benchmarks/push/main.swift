await PushBench.start()
