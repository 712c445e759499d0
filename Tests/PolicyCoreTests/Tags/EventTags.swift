import Model
import PolicyCore

// The tags of what comes in, as recordings hold them. A tag is for ever: a new case gets a new row here, and no row
// ever changes. A case without a row does not compile, and a row without a sample fails.

enum EventTag: UInt8, CaseIterable {
    case clockChanged = 1
    case booted = 2
    case adopted = 3
    case installed = 4
    case command = 5
    case processStarted = 6
    case launchFailed = 7
    case connected = 8
    case disconnected = 9
    case callbackReturned = 10
    case mainThreadAnswered = 11
    case firstProcessEnded = 12
    case allProcessesEnded = 13
    case processesCounted = 14
    case tracerChecked = 15
    case prepared = 16
    case frozen = 17
    case verified = 18
    case request = 19
    case timer = 20
    case memoryConfigured = 21
    case memorySensed = 22
    case footprintSampled = 23
    case reclaimed = 24
    case mappingsCounted = 25
    case endedForMemory = 26
    case machineMemoryConfigured = 27
    case socketsFound = 28
    case peerCame = 29
    case gpuUsed = 30
    case installedWithTasks = 31
    case sessionEvents = 32
    case wishesRestored = 33
    case conditionSensed = 34
    case peersRefused = 38
    case socketsSeen = 39
    case lockFound = 40
    case methodCalled = 91
    case inputGrabbed = 92
    case habitsRestored = 41
    case trafficSeen = 56
    case diskFilled = 60
    case serviceArrived = 62
    case serviceLost = 63
    case serviceAttached = 64
    case serviceHolds = 65
    case serviceDrops = 66
    case serviceStopped = 67
    case serviceWakes = 68
    case descriptorsNearLimit = 69
    case appsRemembered = 71
    case purgeableCounted = 82
    case inversionFound = 87
    case trafficCounted = 72
    case habitsRestoredWithBytes = 73
    case notedByService = 74
    case serviceReceives = 75
    case servicesDeclared = 76
    case installedWithScenes = 88
    case installedWithConnectionLimit = 98
    case wishesRestoredWithScenes = 89
    case trafficCountedWithProcessor = 90
    case diskSensed = 93
    case diskMeasured = 94
    case cachesEmptied = 95
    case descriptorsCounted = 96
    case inversionSeen = 97
}

extension Event {
    var tag: EventTag {
        switch self {
        case .clockChanged: .clockChanged
        case .booted: .booted
        case .adopted: .adopted
        case .installed(let manifest):
            manifest.connectionLimit != nil
                ? .installedWithConnectionLimit
                : manifest.scenes != .none
                    ? .installedWithScenes : manifest.taskIdentifiers.isEmpty ? .installed : .installedWithTasks
        case .command: .command
        case .processStarted: .processStarted
        case .launchFailed: .launchFailed
        case .connected: .connected
        case .disconnected: .disconnected
        case .callbackReturned: .callbackReturned
        case .mainThreadAnswered: .mainThreadAnswered
        case .firstProcessEnded: .firstProcessEnded
        case .allProcessesEnded: .allProcessesEnded
        case .processesCounted: .processesCounted
        case .tracerChecked: .tracerChecked
        case .prepared: .prepared
        case .frozen: .frozen
        case .verified: .verified
        case .request: .request
        case .timer: .timer
        case .memoryConfigured(_, let source): source == .budget ? .memoryConfigured : .machineMemoryConfigured
        case .memorySensed: .memorySensed
        case .footprintSampled: .footprintSampled
        case .reclaimed: .reclaimed
        case .mappingsCounted: .mappingsCounted
        case .purgeableCounted: .purgeableCounted
        case .endedForMemory: .endedForMemory
        case .mechanism(_, .sockets(.found)): .socketsFound
        case .mechanism(_, .sockets(.peerCame)): .peerCame
        case .mechanism(_, .gpu(.used)): .gpuUsed
        case .sessionEvents: .sessionEvents
        case .wishesRestored(_, let wishes): wishes.hasScenes ? .wishesRestoredWithScenes : .wishesRestored
        case .conditionSensed: .conditionSensed
        case .mechanism(_, .sockets(.refused)): .peersRefused
        case .mechanism(_, .sockets(.seen)): .socketsSeen
        case .mechanism(_, .locks(.found)): .lockFound
        case .mechanism(_, .locks(.inputGrabbed)): .inputGrabbed
        case .mechanism(_, .sockets(.called)): .methodCalled
        case .habitsRestored(let memory): memory.hasBytes ? .habitsRestoredWithBytes : .habitsRestored
        case .trafficSeen: .trafficSeen
        case .trafficCounted(_, _, let count):
            count.processor == .zero ? .trafficCounted : .trafficCountedWithProcessor
        case .mechanism(_, .disk(.filled)): .diskFilled
        case .room(.sensed): .diskSensed
        case .room(.measured): .diskMeasured
        case .room(.emptied): .cachesEmptied
        case .mechanism(_, .descriptors(.counted)): .descriptorsCounted
        case .mechanism(_, .inversions(.seen)): .inversionSeen
        case .service(.declared): .servicesDeclared
        case .service(.remembered): .appsRemembered
        case .service(.noted): .notedByService
        case .service(.receives): .serviceReceives
        case .service(.arrived): .serviceArrived
        case .service(.lost): .serviceLost
        case .service(.attached): .serviceAttached
        case .service(.hold): .serviceHolds
        case .service(.drop): .serviceDrops
        case .service(.stopped): .serviceStopped
        case .service(.wake): .serviceWakes
        case .mechanism(_, .descriptors(.nearLimit)): .descriptorsNearLimit
        case .mechanism(_, .inversions(.found)): .inversionFound
        // Requests and commands, as far as a reader sees them.
        case .retired(.beginService), .retired(.endService): .request
        case .retired(.openCovering): .command
        }
    }
}

enum CommandTag: UInt8, CaseIterable {
    case open = 1
    case openURL = 2
    case home = 3
    case lock = 4
    case unlock = 5
    case switcher = 6
    case close = 7
    case restart = 8
    case exempt = 9
    case uninstall = 10
    case interrupt = 11
    case dismiss = 12
    case accept = 13
    case endCall = 14
    case sleep = 15
    case wake = 16
    case reboot = 17
    case shutDown = 18
    case warnMemory = 19
    case pressMemory = 20
    case simulate = 34
    case endSimulation = 35
    case changeSetting = 36
    case simulateFetch = 41
    case allowRefresh = 42
    case openScene = 43
    case closeScene = 44
}

extension Command {
    var tag: CommandTag {
        switch self {
        case .open: .open
        case .openURL: .openURL
        case .home: .home
        case .lock: .lock
        case .unlock: .unlock
        case .switcher: .switcher
        case .close: .close
        case .restart: .restart
        case .exempt: .exempt
        case .uninstall: .uninstall
        case .interrupt: .interrupt
        case .dismiss: .dismiss
        case .accept: .accept
        case .endCall: .endCall
        case .sleep: .sleep
        case .wake: .wake
        case .reboot: .reboot
        case .shutDown: .shutDown
        case .warnMemory: .warnMemory
        case .pressMemory: .pressMemory
        case .simulate: .simulate
        case .endSimulation: .endSimulation
        case .changeSetting: .changeSetting
        case .simulateFetch: .simulateFetch
        case .allowRefresh: .allowRefresh
        case .openScene: .openScene
        case .closeScene: .closeScene
        }
    }
}

enum RequestTag: UInt8, CaseIterable {
    case openURL = 1
    case canOpenURL = 2
    case beginTask = 5
    case endTask = 6
    case backgroundTime = 7
    case provideSnapshots = 9
    case refreshSnapshot = 10
    case complete = 13
    case setFetchInterval = 14
    case submitTask = 15
    case cancelTask = 16
    case pendingTasks = 17
    case activateScene = 18
    case destroyScene = 19
    case keepScreenOn = 20
}

extension AppRequest {
    var tag: RequestTag {
        switch self {
        case .openURL: .openURL
        case .canOpenURL: .canOpenURL
        case .beginTask: .beginTask
        case .endTask: .endTask
        case .backgroundTime: .backgroundTime
        case .mechanism(.snapshots(.provide)): .provideSnapshots
        case .mechanism(.snapshots(.refresh)): .refreshSnapshot
        case .complete: .complete
        case .setFetchInterval: .setFetchInterval
        case .submitTask: .submitTask
        case .cancelTask: .cancelTask
        case .pendingTasks: .pendingTasks
        case .scene(.activate): .activateScene
        case .scene(.destroy): .destroyScene
        case .keepScreenOn: .keepScreenOn
        }
    }
}
