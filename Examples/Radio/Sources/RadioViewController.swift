import UIKit

/// The app's screen, and the first to hear of presses on controls: of the lock screen, the switcher, a headset.
final class RadioViewController: UIViewController {
    private let radio: Radio

    init(_ radio: Radio) {
        self.radio = radio
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override var canBecomeFirstResponder: Bool { true }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        UIApplication.shared.beginReceivingRemoteControlEvents()
        becomeFirstResponder()
    }

    override func remoteControlReceived(with event: UIEvent?) {
        switch event?.subtype {
        case .remoteControlPlay: radio.play()
        case .remoteControlPause, .remoteControlStop: radio.pause()
        case .remoteControlTogglePlayPause:
            if radio.isPlaying { radio.pause() } else { radio.play() }
        case .remoteControlNextTrack: radio.turn(by: 1)
        case .remoteControlPreviousTrack: radio.turn(by: -1)
        // This player cannot seek. Another responder in the chain may be able to.
        default: next?.remoteControlReceived(with: event)
        }
    }
}
