// What inputs, faults and actions are, without what they are about: for what has to know all of them.

extension Input {
    /// What people, apps and surroundings can do.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case open, openURL, home, lock, unlock, switcher, close, restart, exempt, install, uninstall, interrupt
        case dismiss, accept, endCall, sleep, wake, reboot, shutDown, boot, app, memoryWarning, memoryPressure
        case setClock, newDay, network, battery, locale, timeZone, brightness, screens, setting, connect, fetch
        case openScene, closeScene
        case allowRefresh, sessionEvents, wakeByService, tellService, lowPower, thermalState, orientation, changeStore
        case screenshot, callMethod
    }

    package var kind: Kind {
        switch self {
        case .open: .open
        case .openScene: .openScene
        case .closeScene: .closeScene
        case .openURL: .openURL
        case .home: .home
        case .lock: .lock
        case .unlock: .unlock
        case .switcher: .switcher
        case .close: .close
        case .restart: .restart
        case .exempt: .exempt
        case .install: .install
        case .uninstall: .uninstall
        case .interrupt: .interrupt
        case .dismiss: .dismiss
        case .accept: .accept
        case .endCall: .endCall
        case .sleep: .sleep
        case .wake: .wake
        case .reboot: .reboot
        case .shutDown: .shutDown
        case .boot: .boot
        case .app: .app
        case .memoryWarning: .memoryWarning
        case .memoryPressure: .memoryPressure
        case .setClock: .setClock
        case .newDay: .newDay
        case .network: .network
        case .battery: .battery
        case .locale: .locale
        case .timeZone: .timeZone
        case .brightness: .brightness
        case .screens: .screens
        case .setting: .setting
        case .connect: .connect
        case .callMethod: .callMethod
        case .fetch: .fetch
        case .allowRefresh: .allowRefresh
        case .sessionEvents: .sessionEvents
        case .wakeByService: .wakeByService
        case .tellService: .tellService
        case .lowPower: .lowPower
        case .thermalState: .thermalState
        case .orientation: .orientation
        case .changeStore: .changeStore
        case .screenshot: .screenshot
        }
    }
}

extension Fault {
    /// What can go wrong.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case crash, starve, exit, hang, freezeMainThread, recover, disconnect, loseReply, delayReplies, unfreezable
        case ignoreTermination, leaveOthers, endOthers, ignorePeers, debugger, fork, thaw, diskFull
        case launchFails, networkDown, killDaemon, killDaemonWithin, killService, stallService
    }

    package var kind: Kind {
        switch self {
        case .crash: .crash
        case .starve: .starve
        case .exit: .exit
        case .hang: .hang
        case .freezeMainThread: .freezeMainThread
        case .recover: .recover
        case .disconnect: .disconnect
        case .loseReply: .loseReply
        case .delayReplies: .delayReplies
        case .unfreezable: .unfreezable
        case .ignoreTermination: .ignoreTermination
        case .leaveOthers: .leaveOthers
        case .endOthers: .endOthers
        case .ignorePeers: .ignorePeers
        case .debugger: .debugger
        case .fork: .fork
        case .thaw: .thaw
        case .diskFull: .diskFull
        case .launchFails: .launchFails
        case .networkDown: .networkDown
        case .killDaemon: .killDaemon
        case .killDaemonWithin: .killDaemonWithin
        case .killService: .killService
        case .stallService: .stallService
        }
    }
}

extension AppAction {
    /// What an app can do by itself.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case beginTask, endTask, endInvalidTask, askBackgroundTime, openURL, canOpenURL, exit
        case crash, block, fork, work, transfer, allocate, write, lock, unlock, listen, grabInput
        case provideSnapshots
        case activateScene, destroyScene
        case refreshSnapshot, useGPU, complete, setFetchInterval, submitTask, cancelTask, use, leave, ask, after
    }

    package var kind: Kind {
        switch self {
        case .beginTask: .beginTask
        case .endTask: .endTask
        case .endInvalidTask: .endInvalidTask
        case .askBackgroundTime: .askBackgroundTime
        case .openURL: .openURL
        case .canOpenURL: .canOpenURL
        case .activateScene: .activateScene
        case .destroyScene: .destroyScene
        case .exit: .exit
        case .crash: .crash
        case .block: .block
        case .fork: .fork
        case .work: .work
        case .transfer: .transfer
        case .allocate: .allocate
        case .write: .write
        case .lock: .lock
        case .unlock: .unlock
        case .listen: .listen
        case .grabInput: .grabInput
        case .provideSnapshots: .provideSnapshots
        case .refreshSnapshot: .refreshSnapshot
        case .useGPU: .useGPU
        case .complete: .complete
        case .setFetchInterval: .setFetchInterval
        case .submitTask: .submitTask
        case .cancelTask: .cancelTask
        case .use: .use
        case .leave: .leave
        case .ask: .ask
        case .after: .after
        }
    }
}
