// The app is the iOS code in the folder beside this one, as Xcode would have it: the plugin IOSSources compiles it.
