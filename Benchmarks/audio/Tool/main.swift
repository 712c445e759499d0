internal import ArgumentParser

AudioBench.main()
