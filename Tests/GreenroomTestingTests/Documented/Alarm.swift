import AVFoundation
import UIKit

/// Plays until it is told to stop; also behind the lock screen.
class AlarmDelegate: UIResponder, UIApplicationDelegate {
    private(set) var player: AVAudioPlayer?

    func ring(_ sound: Data) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        player = try AVAudioPlayer(data: sound)
        player?.numberOfLoops = -1
        player?.play()
    }
}
