internal import AVFAudio
internal import AudioClient
internal import AudioDevices
internal import Synchronization

/// What an `AVPlayer` is to other threads.
final class AVPlayerCore: Sendable {
    // Its app uses it on any thread, as Apple's.
    struct Owner: @unchecked Sendable {
        weak var player: AVPlayer?
    }

    private struct State: Sendable {
        var item: AVPlayerItem?
        var pump: AudioPump?
        /// How fast it should play; 0 stands still.
        var rate = 0.0
        var usual = 1.0
        var volume: Float = 1
        var isMuted = false
        var observers: [PlayerObserver] = []
        var nextObserver = 0
        var timer: (any AudioTimer)?
        var lastTime: Double?
    }

    let home = AudioHome.current
    private let state = Mutex(State())
    private let owner = Mutex(Owner())
    /// What follows an item that has come to its end.
    let atEnd = Mutex<@Sendable (AVPlayerItem) -> Void>({ _ in })

    init() {
        // The session has to hear of what stops it.
        _ = home.session
    }

    deinit { state.withLock { $0.pump }?.close() }

    func own(_ player: AVPlayer) { owner.withLock { $0.player = player } }

    // MARK: The item

    var item: AVPlayerItem? { state.withLock { $0.item } }

    func replaceItem(_ item: AVPlayerItem?) {
        let (old, pump) = state.withLock { state in
            defer { (state.item, state.pump, state.lastTime) = (item, nil, nil) }
            return (state.item, state.pump)
        }
        guard old !== item else {
            state.withLock { $0.pump = pump }
            return
        }
        if let old {
            if let position = pump?.heardPosition, case .ready(let source, _) = old.phase { source.seek(to: position) }
            old.core.withLock { $0.player = nil }
        }
        pump?.close()
        defer { changed() }
        guard let item else { return scheduleObservers() }
        item.core.withLock { $0.player = self }
        item.open { [weak self, weak item] in
            guard let self, let item, self.item === item else { return }
            opened(item)
        }
    }

    private func opened(_ item: AVPlayerItem) {
        guard case .ready(let source, let reader) = item.phase else { return }
        reader?.listen(
            kick: { [weak self] in self?.fed() }, starved: { [weak self, weak item] in self?.starved(item) })
        let pump = AudioPump(home, rate: source.rate, channels: source.channels, source: source) { [weak self] in
            self?.heard($0, item)
        }
        let rate = state.withLock { state in
            state.pump = pump
            source.setVolume(state.isMuted ? 0 : state.volume, seconds: 0)
            return state.rate
        }
        if rate != 0 { begin() }
        changed()
    }

    private var source: FileSource? {
        guard let item, case .ready(let source, _) = item.phase else { return nil }
        return source
    }

    private var pump: AudioPump? { state.withLock { $0.pump } }

    // MARK: Playing

    var rate: Double { state.withLock { $0.rate } }
    var usualRate: Double {
        get { state.withLock { $0.usual } }
        set { state.withLock { $0.usual = newValue } }
    }

    enum Control { case paused, waiting, playing }

    var control: Control {
        state.withLock { state in
            if state.rate == 0 { return .paused }
            let isFed = state.item?.isPlaybackLikelyToKeepUp == true
            return state.pump?.isRunning == true && isFed ? .playing : .waiting
        }
    }

    func setRate(_ rate: Double) {
        let before = state.withLock { state in
            defer { state.rate = rate }
            return state.rate
        }
        if rate == 0 {
            pump?.pause()
        } else {
            begin()
        }
        if before != self.rate { tellRate() }
        scheduleObservers()
        changed()
    }

    private func begin() {
        guard let source, let pump else { return }
        let rate = self.rate
        if source.speed != rate {
            pump.touch { source.seek(to: $0) }
            source.speed = rate
        }
        do {
            try pump.start()
        } catch {
            // As on Apple's systems: it stands still, and the session says why.
            state.withLock { $0.rate = 0 }
        }
        scheduleObservers()
    }

    private func tellRate() {
        DispatchQueue.main.async { [weak self] in
            guard let player = self?.owner.withLock({ $0.player }) else { return }
            NotificationCenter.default.post(name: AVPlayer.rateDidChangeNotification, object: player)
        }
    }

    func setVolume(_ volume: Float, isMuted: Bool) {
        state.withLock { ($0.volume, $0.isMuted) = (volume, isMuted) }
        changed()
        guard let source else { return }
        pump?.touch { source.seek(to: $0) }
        source.setVolume(isMuted ? 0 : volume, seconds: 0)
    }

    var volume: (volume: Float, isMuted: Bool) { state.withLock { ($0.volume, $0.isMuted) } }

    func position(of item: AVPlayerItem) -> Double? {
        guard self.item === item, let source else { return nil }
        return pump?.heardPosition ?? source.position
    }

    func seek(_ item: AVPlayerItem, to seconds: Double) {
        guard self.item === item, !item.setStart(seconds), let source else { return }
        let place = item.duration.isNumeric ? min(seconds, source.duration) : seconds
        if let pump { pump.reposition { source.seek(to: place) } } else { source.seek(to: place) }
        state.withLock { $0.lastTime = nil }
        post(.AVPlayerItemTimeJumped, item)
        scheduleObservers()
    }

    // MARK: Events

    private func fed() {
        pump?.kick()
        scheduleObservers()
        changed()
    }

    private func starved(_ item: AVPlayerItem?) {
        if rate != 0, let item { post(.AVPlayerItemPlaybackStalled, item) }
        changed()
    }

    private func heard(_ event: AudioPump.Event, _ item: AVPlayerItem) {
        defer { changed() }
        switch event {
        case .stoodStill:
            state.withLock { $0.rate = 0 }
            tellRate()
        case .failed(let why):
            state.withLock { $0.rate = 0 }
            post(.AVPlayerItemFailedToPlayToEndTime, item, AVError(.unknown, why))
        case .drained:
            if case .ready(let source, _) = item.phase, let failure = source.failure {
                state.withLock { $0.rate = 0 }
                return post(.AVPlayerItemFailedToPlayToEndTime, item, AVError(.decodeFailed, failure))
            }
            fireObservers()
            post(.AVPlayerItemDidPlayToEndTime, item)
            atEnd.withLock { $0 }(item)
        }
    }

    private func post(_ name: NSNotification.Name, _ item: AVPlayerItem, _ error: AVError? = nil) {
        DispatchQueue.main.async {
            NotificationCenter.default.post(
                name: name, object: item, userInfo: error.map { [AVPlayerItemFailedToPlayToEndTimeErrorKey: $0] })
        }
    }

    /// Something may be otherwise than before.
    private func changed() {
        owner.withLock { $0.player }?.tellObserversSoon()
        item?.tellObserversSoon()
    }

    // MARK: Observers

    func add(_ kind: PlayerObserver.Kind, _ queue: DispatchQueue?, _ block: PlayerObserver.Block) -> Int {
        let number = state.withLock { state in
            state.nextObserver += 1
            state.observers.append(
                PlayerObserver(number: state.nextObserver, kind: kind, queue: queue ?? .main, block: block))
            return state.nextObserver
        }
        scheduleObservers()
        return number
    }

    func removeObserver(_ number: Int) { state.withLock { $0.observers.removeAll { $0.number == number } } }

    private var time: Double? {
        guard let item else { return nil }
        return position(of: item)
    }

    private func scheduleObservers() {
        guard let now = time else { return }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            if state.lastTime == nil { state.lastTime = now }
            guard state.rate > 0, state.pump?.isRunning == true,
                let next = state.observers.compactMap({ $0.next(after: now) }).min()
            else { return }
            state.timer = home.device.later(max(0.002, (next - now) / state.rate)) { [weak self] in
                self?.fireObservers()
                self?.scheduleObservers()
            }
        }
    }

    private func fireObservers() {
        guard let now = time else { return }
        let due = state.withLock { state in
            let last = state.lastTime ?? now
            state.lastTime = now
            return state.observers.filter { $0.isDue(after: last, until: now) }
        }
        for one in due { one.call(now) }
    }
}

/// What is called as time passes in what is played.
struct PlayerObserver: Sendable {
    enum Kind: Sendable {
        case periodic(Double)
        case boundaries([Double])
    }

    enum Block: Sendable {
        case timed(@Sendable (CMTime) -> Void)
        case plain(@Sendable () -> Void)
    }

    let number: Int
    let kind: Kind
    let queue: DispatchQueue
    let block: Block

    /// So near is there.
    private static let tolerance = 0.0005

    func next(after time: Double) -> Double? {
        switch kind {
        case .periodic(let interval): ((time + Self.tolerance) / interval).rounded(.down) * interval + interval
        case .boundaries(let times): times.filter { $0 > time + Self.tolerance }.min()
        }
    }

    func isDue(after last: Double, until now: Double) -> Bool {
        guard now > last else { return false }
        return next(after: last).map { $0 <= now + Self.tolerance } ?? false
    }

    func call(_ now: Double) {
        queue.async { [block] in
            switch block {
            case .timed(let call): call(CMTime(seconds: now, preferredTimescale: 1_000_000))
            case .plain(let call): call()
            }
        }
    }
}
