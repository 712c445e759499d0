internal import IOSFoundation

extension AVAudioSession: KeyValueSource {
    package static var observedKeys: Set<String> {
        ["otherAudioPlaying", "outputVolume", "secondaryAudioShouldBeSilencedHint"]
    }

    package func observedValue(forKey key: String) -> Any? {
        switch key {
        case "otherAudioPlaying": isOtherAudioPlaying
        case "outputVolume": outputVolume
        case "secondaryAudioShouldBeSilencedHint": secondaryAudioShouldBeSilencedHint
        default: nil
        }
    }
}
