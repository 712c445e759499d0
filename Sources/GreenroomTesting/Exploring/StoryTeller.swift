/// Numbers that look random, and are the same for the same seed on every machine: SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
        // Seeds that follow one another would give the same numbers, one later each time.
        state = next() ^ 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Thinks of what happens next, from what can happen now.
struct StoryTeller {
    private let exploration: TestDevice.Exploration
    private let subject: Subject
    private var numbers: SeededNumbers
    private var isLocked = false
    private var isAsleep = false
    private var isInSwitcher = false
    private var isInCall = false
    private var interruption: TestDevice.Interruption?
    private var hasNetwork = false
    private var isLow = false
    private var isHot = false
    /// What was begun and goes on by itself: visits that follow one another.
    private var planned: [StoryStep] = []

    @MainActor
    init(_ exploration: TestDevice.Exploration, _ subject: Subject, seed: UInt64) {
        self.exploration = exploration
        self.subject = subject
        numbers = SeededNumbers(seed: seed)
    }

    /// - Parameter state: what the system lets the app do now.
    @MainActor
    mutating func next(_ state: InstalledApp.State) -> StoryStep? {
        if !planned.isEmpty { return planned.removeFirst() }
        let choices = choices(state).filter { $0.weight > 0 && exploration.events.contains($0.event) }
        let total = choices.reduce(0) { $0 + $1.weight }
        guard total > 0 else { return nil }
        var drawn = Int.random(in: 0..<total, using: &numbers)
        guard
            let choice = choices.first(where: { choice in
                drawn -= choice.weight
                return drawn < 0
            }), let step = choice.steps.randomElement(using: &numbers)
        else { return nil }
        note(step)
        // Some users come and go.
        if step == .home, Int.random(in: 0..<12, using: &numbers) == 0 {
            planned = Array(repeating: [.open, .home], count: 4).flatMap(\.self)
        }
        return step
    }

    private typealias Choice = (event: TestDevice.Exploration.Event, weight: Int, steps: [StoryStep])

    @MainActor
    private func choices(_ state: InstalledApp.State) -> [Choice] {
        let isUsable = !isLocked && !isAsleep
        let isFree = isUsable && interruption == nil && !isInCall && !isInSwitcher
        let isInFront = state == .active || state == .inactive
        let isOut = state == .suspended || state == .background || state == .notRunning
        let urls = exploration.urls.isEmpty ? subject.urlSchemes.map { "\($0)://" } : exploration.urls
        var choices: [Choice] = [
            (.visits, isFree && isOut ? 14 : 0, [.open]),
            (.visits, isFree && isInFront ? 10 : 0, [.home]),
            (.visits, isFree && isInFront ? 2 : 0, [.openSwitcher]),
            (.visits, isInSwitcher ? 8 : 0, [.closeSwitcher, .home]),
            (.urls, isFree && !urls.isEmpty ? 8 : 0, urls.map { .url($0) }),
            (.locking, isUsable ? 3 : 0, [.lock, .sleep]),
            (.locking, isAsleep ? 12 : 0, [.wake]),
            (.locking, isLocked && !isAsleep ? 12 : 0, [.unlock]),
            (.time, 8, StoryStep.times.map { .pass(seconds: $0) }),
            (.memory, isInFront || state == .background ? 3 : 0, [.warnMemory]),
            (.memory, state == .suspended ? 8 : 0, [.reclaim]),
            (.closing, state != .notRunning && isUsable ? 2 : 0, [.close]),
            (.reboots, 1, [.reboot]),
            (.network, 3, hasNetwork ? [.network(.none)] : [.network(.wifi), .network(.cellular)]),
            (.fetches, subject.isFetched && !isInFront ? 8 : 0, [.fetch(launches: false), .fetch(launches: true)]),
            (.transfers, exploration.sessions.isEmpty ? 0 : 6, exploration.sessions.map { .transfers($0) }),
            (
                .touches, state == .active && isFree && !subject.touches.isEmpty ? 8 : 0,
                subject.touches.map { .touch($0) }
            ),
        ]
        choices += interruptions(isUsable)
        choices += power
        return choices
    }

    private func interruptions(_ isUsable: Bool) -> [Choice] {
        if let interruption { return [(.interruptions, 14, [.dismiss(interruption), .accept(interruption)])] }
        if isInCall { return [(.interruptions, 14, [.endCall])] }
        return [(.interruptions, isUsable ? 4 : 0, TestDevice.Interruption.allCases.map { .interrupt($0) })]
    }

    private var power: [Choice] {
        [
            (.power, 1, [.battery(5, isCharging: false), .battery(90, isCharging: true)]),
            (.power, 1, [.lowPower(!isLow)]),
            (.power, 1, [.isHot(!isHot)]),
        ]
    }

    private mutating func note(_ step: StoryStep) {
        switch step {
        case .lock: isLocked = true
        case .unlock: isLocked = false
        case .sleep: (isAsleep, isLocked) = (true, true)
        case .wake: isAsleep = false
        case .openSwitcher: isInSwitcher = true
        case .closeSwitcher, .home, .open: isInSwitcher = false
        case .interrupt(let kind): interruption = kind
        case .dismiss: interruption = nil
        case .accept(let kind): (interruption, isInCall) = (nil, kind == .call)
        case .endCall: isInCall = false
        case .reboot: (isLocked, isAsleep, isInSwitcher, isInCall, interruption) = (false, false, false, false, nil)
        case .network(let network): hasNetwork = network != .none
        case .lowPower(let isOn): isLow = isOn
        case .isHot(let now): isHot = now
        default: break
        }
    }
}
