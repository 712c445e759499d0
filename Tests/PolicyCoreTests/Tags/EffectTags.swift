import Model
import PolicyCore

// For ever, as those of events are: see `EventTags.swift`. Recordings hold digests of them.

enum ActionTag: UInt8, CaseIterable {
    case log = 1
    case report = 2
    case launch = 3
    case deliver = 4
    case check = 5
    case checkTracer = 6
    case prepare = 7
    case freeze = 8
    case verify = 9
    case thaw = 10
    case askToEnd = 11
    case kill = 12
    // 13 was stopService.
    case reply = 14
    case answer = 15
    case halt = 16
    case sample = 17
    case reclaim = 18
    case senseMemory = 19
    case expireTasks = 20
    case tellConditions = 21
    case setPriority = 22
    case guardListeners = 23
    case lookAtSockets = 24
    case closeConnections = 25
    case takeSnapshot = 26
    case expireWindow = 27
    case answerService = 28
    case stopHold = 29
    case holdEnded = 30
    case measureDisk = 31
    case emptyCaches = 32
}

extension Action {
    var tag: ActionTag {
        switch self {
        case .log: .log
        case .report: .report
        case .launch: .launch
        case .deliver: .deliver
        case .check: .check
        case .checkTracer: .checkTracer
        case .prepare: .prepare
        case .freeze: .freeze
        case .verify: .verify
        case .thaw: .thaw
        case .askToEnd: .askToEnd
        case .kill: .kill
        case .reply: .reply
        case .answer: .answer
        case .halt: .halt
        case .sample: .sample
        case .reclaim: .reclaim
        case .senseMemory: .senseMemory
        case .measureDisk: .measureDisk
        case .emptyCaches: .emptyCaches
        case .expireTasks: .expireTasks
        case .tellConditions: .tellConditions
        case .setPriority: .setPriority
        case .mechanism(_, .sockets(.guardListeners)): .guardListeners
        case .mechanism(_, .sockets(.look)): .lookAtSockets
        case .mechanism(_, .sockets(.closeConnections)): .closeConnections
        case .mechanism(_, .snapshots(.take)): .takeSnapshot
        case .expireWindow: .expireWindow
        case .service(.answer): .answerService
        case .service(.stop): .stopHold
        case .service(.ended): .holdEnded
        }
    }
}

enum ReplyTag: UInt8, CaseIterable {
    case done = 1
    case canOpen = 2
    case refused = 3
    case taskBegan = 4
    case taskEnded = 5
    case remaining = 6
    case noted = 8
    case pendingTasks = 13
    case scene = 14
}

extension AppReply {
    var tag: ReplyTag {
        switch self {
        case .done: .done
        case .canOpen: .canOpen
        case .refused: .refused
        case .taskBegan: .taskBegan
        case .taskEnded: .taskEnded
        case .remaining: .remaining
        case .noted: .noted
        case .pendingTasks: .pendingTasks
        case .scene: .scene
        }
    }
}

enum AnswerTag: UInt8, CaseIterable {
    case done = 1
    case refused = 2
    case overtaken = 3
}

extension Answer {
    var tag: AnswerTag {
        switch self {
        case .done: .done
        case .refused: .refused
        case .overtaken: .overtaken
        }
    }
}

enum RefusalTag: UInt8, CaseIterable {
    case unknownApp = 1
    case notRunning = 2
    case deviceLocked = 3
    case deviceAsleep = 4
    case interrupted = 5
    case noHandler = 6
    case malformedURL = 7
    case notInForeground = 8
    case roleUnavailable = 9
    case noSuchInterruption = 10
    case cannotAccept = 11
    case noCall = 12
    case shuttingDown = 13
    case missingBackgroundMode = 14
    case leftTheScreen = 16
    case ended = 17
    case task = 18
    case takesNoSettings = 70
    case tooManySettings = 71
    case backgroundTask = 76
    case notWoken = 77
    case takesNoFetch = 78
    case tooManyURLs = 79
    case noScenes = 120
    case oneScene = 121
    case unknownScene = 122
    case tooManyScenes = 123
}

extension Refusal {
    var tag: RefusalTag {
        switch self {
        case .unknownApp: .unknownApp
        case .notRunning: .notRunning
        case .deviceLocked: .deviceLocked
        case .deviceAsleep: .deviceAsleep
        case .interrupted: .interrupted
        case .noHandler: .noHandler
        case .malformedURL: .malformedURL
        case .notInForeground: .notInForeground
        case .roleUnavailable: .roleUnavailable
        case .noSuchInterruption: .noSuchInterruption
        case .cannotAccept: .cannotAccept
        case .noCall: .noCall
        case .shuttingDown: .shuttingDown
        case .missingBackgroundMode: .missingBackgroundMode
        case .leftTheScreen: .leftTheScreen
        case .ended: .ended
        case .task: .task
        case .takesNoSettings: .takesNoSettings
        case .tooManySettings: .tooManySettings
        case .backgroundTask: .backgroundTask
        case .notWoken: .notWoken
        case .takesNoFetch: .takesNoFetch
        case .noScenes: .noScenes
        case .oneScene: .oneScene
        case .unknownScene: .unknownScene
        case .tooManyScenes: .tooManyScenes
        case .tooManyURLs: .tooManyURLs
        }
    }
}

enum TaskRefusalTag: UInt8, CaseIterable {
    case noMultitasking = 1
    case timeIsOver = 2
    case tooMany = 3
    case beingEnded = 4
}

extension TaskRefusal {
    var tag: TaskRefusalTag {
        switch self {
        case .noMultitasking: .noMultitasking
        case .timeIsOver: .timeIsOver
        case .tooMany: .tooMany
        case .beingEnded: .beingEnded
        }
    }
}

enum BackgroundTaskRefusalTag: UInt8, CaseIterable {
    case notPermitted = 1
    case missingMode = 2
    case tooMany = 3
    case unavailable = 4
    case refreshIsOff = 5
}

extension BackgroundTaskRefusal {
    var tag: BackgroundTaskRefusalTag {
        switch self {
        case .notPermitted: .notPermitted
        case .missingMode: .missingMode
        case .tooMany: .tooMany
        case .unavailable: .unavailable
        case .refreshIsOff: .refreshIsOff
        }
    }
}

enum ObstacleTag: UInt8, CaseIterable {
    case noMultitasking = 1
    case missingMode = 2
    case neverAsked = 3
    case refreshIsOff = 4
    case closedByUser = 5
    case onScreen = 6
    case beingEnded = 7
    case underWay = 8
    case shuttingDown = 9
    case noNetwork = 10
    case batteryLow = 11
    case noPower = 12
    case tooEarly = 13
    case plainProgram = 14
    case tooSoon = 15
    case usedUp = 16
    case hasTasks = 17
    case lowPower = 32
    case tooWarm = 33
}

extension WakeObstacle {
    var tag: ObstacleTag {
        switch self {
        case .noMultitasking: .noMultitasking
        case .missingMode: .missingMode
        case .neverAsked: .neverAsked
        case .refreshIsOff: .refreshIsOff
        case .closedByUser: .closedByUser
        case .onScreen: .onScreen
        case .beingEnded: .beingEnded
        case .underWay: .underWay
        case .shuttingDown: .shuttingDown
        case .noNetwork: .noNetwork
        case .batteryLow: .batteryLow
        case .noPower: .noPower
        case .tooEarly: .tooEarly
        case .plainProgram: .plainProgram
        case .tooSoon: .tooSoon
        case .usedUp: .usedUp
        case .hasTasks: .hasTasks
        case .lowPower: .lowPower
        case .tooWarm: .tooWarm
        }
    }
}
