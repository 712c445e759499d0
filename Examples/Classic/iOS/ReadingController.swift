//
//  ReadingController.swift
//  Classic
//

import Combine
import MediaPlayer
import Network
import UIKit

@objc protocol ReadingDelegate: NSObjectProtocol {
    @objc optional func reading(_ controller: ReadingController, didSaveAt seconds: Int)
}

final class ReadingController: UIViewController {

    weak var delegate: ReadingDelegate?

    @IBOutlet weak var pauseButton: UIButton!
    @objc dynamic private(set) var seconds = 0
    @objc dynamic private(set) var chapters: [String] = {
        ["Beginning"]
    }()
    @Published private(set) var isOnline = true
    private(set) var saves = 0
    private(set) var returns = 0
    private(set) var jumps = 0
    private(set) var lastChapter: String?

    private static var secondsContext = 0
    private var observations: [NSKeyValueObservation] = []
    private var timer: Timer?
    private var subscriptions = Set<AnyCancellable>()
    private let monitor = NWPathMonitor()
    private let cache = NSCache<NSString, NSData>()
    private let button = UIButton(type: .system)

    override func viewDidLoad() {
        super.viewDidLoad()
        pauseButton = button
        pauseButton.addTarget(self, action: #selector(pause(_:)), for: .touchUpInside)
        NotificationCenter.default.addObserver(
            self, selector: #selector(save), name: UIApplication.didEnterBackgroundNotification, object: nil)
        NotificationCenter.default.addObserver(
            self,
            selector: #selector(comeBack(notification:)),
            name: UIApplication.willEnterForegroundNotification,
            object: nil
        )
        NotificationCenter.default.publisher(for: UIApplication.didBecomeActiveNotification)
            .sink { [weak self] _ in self?.start() }
            .store(in: &subscriptions)
        monitor.pathUpdateHandler = { [weak self] path in
            DispatchQueue.main.async { self?.isOnline = path.status == .satisfied }
        }
        monitor.start(queue: DispatchQueue(label: "Classic.network"))
        MPRemoteCommandCenter.shared().pauseCommand.addTarget(self, action: #selector(pauseCommand(_:)))
        cache.countLimit = 3
        observations = [
            observe(\.seconds, options: [.new]) { controller, change in
                controller.title = change.newValue.map { "\($0) s" }
            },
            observe(\.chapters, options: [.old, .new]) { controller, change in
                guard (change.oldValue?.count ?? 0) < (change.newValue?.count ?? 0) else { return }
                controller.lastChapter = change.newValue?.last
            },
        ]
        addObserver(
            self, forKeyPath: #keyPath(seconds), options: [.old, .new], context: &ReadingController.secondsContext)
        publisher(for: \.seconds).filter { $0 == 2 }.sink { [weak self] _ in self?.pause(2) }.store(in: &subscriptions)
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard context == &ReadingController.secondsContext else {
            return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
        guard let old = change?[.oldKey] as? Int, let new = change?[.newKey] as? NSNumber else { return }
        jumps += new.intValue - old
    }

    deinit {
        removeObserver(self, forKeyPath: #keyPath(seconds), context: &ReadingController.secondsContext)
        NotificationCenter.default.removeObserver(self)
        timer?.invalidate()
    }

    func start() {
        guard timer == nil else { return }
        timer = Timer.scheduledTimer(
            timeInterval: 1, target: self, selector: #selector(tick(_:)), userInfo: ["step": 1], repeats: true)
    }

    @objc private func tick(_ timer: Timer) {
        let step = (timer.userInfo as? [String: Int])?["step"] ?? 0
        seconds += step
        chapters.append("At \(seconds) s")
    }

    @IBAction func pause(_ sender: Any) {
        timer?.invalidate()
        timer = nil
    }

    @objc func pauseCommand(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
        pause(event)
        return .success
    }

    @objc private func save() {
        saves += 1
        UserDefaults.standard.set(seconds, forKey: #keyPath(ReadingController.seconds))
        let name = ("~/Documents/reading.txt" as NSString).lastPathComponent
        cache.setObject(Data(name.utf8) as NSData, forKey: name as NSString)
        delegate?.reading?(self, didSaveAt: seconds)
    }

    @objc private func comeBack(notification: NSNotification) {
        returns += 1
        #if targetEnvironment(simulator)
            assertionFailure("this is a device")
        #endif
    }
}
