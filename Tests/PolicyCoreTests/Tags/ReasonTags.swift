import Model

// For ever, as those of events are: see `EventTags.swift`. Recordings hold digests of them.

enum ReasonTag: UInt8, CaseIterable {
    case userOpened = 1
    case urlOpened = 2
    case userPressedHome = 3
    case userLocked = 4
    case userUnlocked = 5
    case userOpenedSwitcher = 6
    case userClosedSwitcher = 7
    case userClosed = 8
    case userRestarted = 9
    case exempted = 10
    case interruption = 11
    case interruptionDismissed = 12
    case interruptionAccepted = 13
    case callEnded = 14
    case deviceSlept = 15
    case deviceWoke = 16
    case deviceBooted = 17
    case systemShutDown = 18
    case daemonRestarted = 19
    case uninstalled = 20
    case launchedAtBoot = 21
    case onTheWay = 22
    case nothingEntitles = 23
    case assertion = 24
    case onScreenAgain = 25
    case wantedInBackground = 26
    case endRequested = 27
    case thawedFromOutside = 28
    case frozenFromOutside = 29
    case cannotFreeze = 30
    case serviceUndeclared = 31
    case end = 32
    case memoryLevel = 33
    case memorySimulated = 34
    case memoryReclaimed = 35
    case memoryLimit = 36
    case memoryNearLimit = 37
    case memoryTight = 38
    case taskBegan = 39
    case finishesTask = 40
    case taskEnded = 41
    case tasksExpire = 42
    case taskRefused = 43
    case cannotAnswer = 44
    case doesNotAnswer = 45
    case peerConnected = 46
    case answersPeers = 47
    case peersRefused = 48
    case connectionsClosed = 49
    case lockBlocks = 60
    case methodCalled = 113
    case answersCall = 114
    case readsNoCalls = 115
    case inputGrabbed = 116
    case cachesEmptied = 117
    case conditionChanged = 70
    case changedMeanwhile = 71
    case settingChanged = 72
    case woken = 76
    case usesWindow = 77
    case windowCompleted = 78
    case windowExpires = 79
    case windowOverrun = 80
    case notWoken = 81
    case taskSubmitted = 82
    case taskCancelled = 83
    case taskRequestRefused = 84
    case refreshAllowed = 85
    case omitsEntries = 86
    case omittedEntries = 87
    case heldByService = 90
    case serviceGone = 91
    case serviceDidNotStop = 92
    case descriptorsNearLimit = 93
    case openedByService = 94
    case notedByService = 95
    case launchedAgain = 96
    case savesPower = 109
    case waitsForLower = 110
    case scene = 120
    case sceneOpened = 121
    case sceneClosed = 122
    case sceneWanted = 123
    case protectedDataUnavailable = 111
    case keepsScreenOn = 112
}

extension Reason {
    var tag: ReasonTag {
        switch self {
        case .userOpened: .userOpened
        case .urlOpened: .urlOpened
        case .userPressedHome: .userPressedHome
        case .userLocked: .userLocked
        case .userUnlocked: .userUnlocked
        case .userOpenedSwitcher: .userOpenedSwitcher
        case .userClosedSwitcher: .userClosedSwitcher
        case .userClosed: .userClosed
        case .userRestarted: .userRestarted
        case .exempted: .exempted
        case .interruption: .interruption
        case .interruptionDismissed: .interruptionDismissed
        case .interruptionAccepted: .interruptionAccepted
        case .callEnded: .callEnded
        case .deviceSlept: .deviceSlept
        case .deviceWoke: .deviceWoke
        case .deviceBooted: .deviceBooted
        case .systemShutDown: .systemShutDown
        case .daemonRestarted: .daemonRestarted
        case .uninstalled: .uninstalled
        case .launchedAtBoot: .launchedAtBoot
        case .launchedAgain: .launchedAgain
        case .onTheWay: .onTheWay
        case .nothingEntitles: .nothingEntitles
        case .assertion: .assertion
        case .onScreenAgain: .onScreenAgain
        case .wantedInBackground: .wantedInBackground
        case .endRequested: .endRequested
        case .thawedFromOutside: .thawedFromOutside
        case .frozenFromOutside: .frozenFromOutside
        case .cannotFreeze: .cannotFreeze
        case .serviceUndeclared: .serviceUndeclared
        case .heldByService: .heldByService
        case .serviceGone: .serviceGone
        case .openedByService: .openedByService
        case .notedByService: .notedByService
        case .serviceDidNotStop: .serviceDidNotStop
        case .descriptorsNearLimit: .descriptorsNearLimit
        case .savesPower: .savesPower
        case .waitsForLower: .waitsForLower
        case .scene: .scene
        case .sceneOpened: .sceneOpened
        case .sceneClosed: .sceneClosed
        case .sceneWanted: .sceneWanted
        case .protectedDataUnavailable: .protectedDataUnavailable
        case .keepsScreenOn: .keepsScreenOn
        case .end: .end
        case .memoryLevel: .memoryLevel
        case .memorySimulated: .memorySimulated
        case .memoryReclaimed: .memoryReclaimed
        case .memoryLimit: .memoryLimit
        case .memoryNearLimit: .memoryNearLimit
        case .memoryTight: .memoryTight
        case .taskBegan: .taskBegan
        case .finishesTask: .finishesTask
        case .taskEnded: .taskEnded
        case .tasksExpire: .tasksExpire
        case .taskRefused: .taskRefused
        case .cannotAnswer: .cannotAnswer
        case .doesNotAnswer: .doesNotAnswer
        case .peerConnected: .peerConnected
        case .answersPeers: .answersPeers
        case .peersRefused: .peersRefused
        case .connectionsClosed: .connectionsClosed
        case .lockBlocks: .lockBlocks
        case .methodCalled: .methodCalled
        case .answersCall: .answersCall
        case .readsNoCalls: .readsNoCalls
        case .inputGrabbed: .inputGrabbed
        case .cachesEmptied: .cachesEmptied
        case .conditionChanged: .conditionChanged
        case .changedMeanwhile: .changedMeanwhile
        case .settingChanged: .settingChanged
        case .woken: .woken
        case .usesWindow: .usesWindow
        case .windowCompleted: .windowCompleted
        case .windowExpires: .windowExpires
        case .windowOverrun: .windowOverrun
        case .notWoken: .notWoken
        case .taskSubmitted: .taskSubmitted
        case .taskCancelled: .taskCancelled
        case .taskRequestRefused: .taskRequestRefused
        case .refreshAllowed: .refreshAllowed
        case .omitsEntries: .omitsEntries
        case .omittedEntries: .omittedEntries
        }
    }
}

enum EndTag: UInt8, CaseIterable {
    case closedByUser = 1
    case restartedByUser = 2
    case uninstalled = 3
    case systemShutdown = 4
    case exitsOnSuspend = 5
    case exceeded = 6
    case tooManyProcesses = 7
    case ended = 8
    case failedToLaunch = 9
    case stray = 10
    case memory = 11
    case tooManyMappings = 12
    case mappingTooLarge = 13
    case tasksNotEnded = 14
    case windowNotCompleted = 15
    case heldLock = 20
    case usedGPU = 21
    case filledDisk = 40
    case tooManyPurgeableObjects = 51
}

extension EndReason {
    var tag: EndTag {
        switch self {
        case .closedByUser: .closedByUser
        case .restartedByUser: .restartedByUser
        case .uninstalled: .uninstalled
        case .systemShutdown: .systemShutdown
        case .exitsOnSuspend: .exitsOnSuspend
        case .exceeded: .exceeded
        case .tooManyProcesses: .tooManyProcesses
        case .ended: .ended
        case .failedToLaunch: .failedToLaunch
        case .stray: .stray
        case .memory: .memory
        case .tooManyMappings: .tooManyMappings
        case .tooManyPurgeableObjects: .tooManyPurgeableObjects
        case .mappingTooLarge: .mappingTooLarge
        case .tasksNotEnded: .tasksNotEnded
        case .windowNotCompleted: .windowNotCompleted
        case .heldLock: .heldLock
        case .usedGPU: .usedGPU
        case .filledDisk: .filledDisk
        }
    }
}

enum LimitTag: UInt8, CaseIterable {
    case launch = 1
    case callback = 2
    case termination = 3
    case mainThread = 4
    case tasks = 5
    case window = 6
}

extension Limit {
    var tag: LimitTag {
        switch self {
        case .launch: .launch
        case .callback: .callback
        case .termination: .termination
        case .mainThread: .mainThread
        case .tasks: .tasks
        case .window: .window
        }
    }
}

enum StatusTag: UInt8, CaseIterable {
    case exited = 0
    case signaled = 1
    case unknown = 2
    case outOfMemory = 3
}

extension Model.ExitStatus {
    var tag: StatusTag {
        switch self {
        case .exited: .exited
        case .signaled: .signaled
        case .unknown: .unknown
        case .outOfMemory: .outOfMemory
        }
    }
}

enum WindowTag: UInt8, CaseIterable {
    case fetch = 1
    case sessionEvents = 2
    case refresh = 3
    case processing = 4
    case service = 5
}

extension WindowKind {
    var tag: WindowTag {
        switch self {
        case .fetch: .fetch
        case .sessionEvents: .sessionEvents
        case .refresh: .refresh
        case .processing: .processing
        case .service: .service
        }
    }
}

enum ConditionTag: UInt8, CaseIterable {
    case locale = 1
    case timeZone = 2
    case screen = 4
    case battery = 5
    case significantTime = 3
    case network = 6
    case lowPower = 23
    case thermalState = 24
    case orientation = 25
    case sharedStores = 26
    case screenshot = 28
}

extension Condition {
    var tag: ConditionTag {
        switch self {
        case .locale: .locale
        case .timeZone: .timeZone
        case .screen: .screen
        case .battery: .battery
        case .network: .network
        case .lowPower: .lowPower
        case .thermalState: .thermalState
        case .orientation: .orientation
        case .store: .sharedStores
        case .clock: .significantTime
        case .screenshot: .screenshot
        }
    }
}
