internal import IOSFoundation

extension AVPlayer: KeyValueSource {
    package static var observedKeys: Set<String> {
        ["currentItem", "error", "muted", "rate", "reasonForWaitingToPlay", "status", "timeControlStatus", "volume"]
    }

    package func observedValue(forKey key: String) -> Any? {
        switch key {
        case "currentItem": currentItem
        case "error": error
        case "muted": isMuted
        case "rate": rate
        case "reasonForWaitingToPlay": reasonForWaitingToPlay
        case "status": status
        case "timeControlStatus": timeControlStatus
        case "volume": volume
        default: nil
        }
    }
}

extension AVPlayerItem: KeyValueSource {
    package static var observedKeys: Set<String> {
        [
            "duration", "error", "loadedTimeRanges", "playbackBufferEmpty", "playbackBufferFull",
            "playbackLikelyToKeepUp", "seekableTimeRanges", "status",
        ]
    }

    package func observedValue(forKey key: String) -> Any? {
        switch key {
        case "duration": duration
        case "error": error
        case "loadedTimeRanges": loadedTimeRanges
        case "playbackBufferEmpty": isPlaybackBufferEmpty
        case "playbackBufferFull": isPlaybackBufferFull
        case "playbackLikelyToKeepUp": isPlaybackLikelyToKeepUp
        case "seekableTimeRanges": seekableTimeRanges
        case "status": status
        default: nil
        }
    }
}

extension NSObject {
    /// Tells on the main thread, as Apple's players do, and without any lock.
    func tellObserversSoon() {
        guard isObserved(self) else { return }
        let told = Told(object: self)
        DispatchQueue.main.async { tellObservers(of: told.object) }
    }

    // Players and items may be used on any thread.
    private struct Told: @unchecked Sendable {
        let object: NSObject
    }
}
