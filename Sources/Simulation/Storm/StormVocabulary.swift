/// Whether storms hold something, and why not.
package enum StormPlace: Hashable, Sendable {
    case drawn
    /// Only where services with the logic of real ones take part.
    case drawnWithModels
    case never(because: String)
}

// The places of everything that a scenario can hold. A new input, fault or action does not compile without one, and a
// test fails where storms do not keep to it.

extension Input.Kind {
    package var stormPlace: StormPlace {
        switch self {
        case .open, .openScene, .closeScene, .openURL, .home, .lock, .unlock, .switcher, .close, .restart, .exempt,
            .install, .uninstall,
            .interrupt, .dismiss, .accept, .endCall, .sleep, .wake, .reboot, .shutDown, .boot, .app, .memoryWarning,
            .memoryPressure, .setClock, .network, .battery, .locale, .timeZone, .brightness, .screens, .setting,
            .connect, .callMethod, .fetch, .allowRefresh, .sessionEvents, .wakeByService, .lowPower, .thermalState,
            .orientation,
            .changeStore, .screenshot:
            .drawn
        case .tellService:
            .drawnWithModels
        case .newDay:
            .never(because: "it sets the clock, which `setClock` does by any time")
        }
    }
}

extension Fault.Kind {
    package var stormPlace: StormPlace {
        switch self {
        case .crash, .starve, .exit, .hang, .freezeMainThread, .recover, .disconnect, .loseReply, .delayReplies,
            .unfreezable,
            .ignoreTermination, .leaveOthers, .endOthers, .ignorePeers, .debugger, .fork, .thaw, .diskFull,
            .launchFails, .networkDown, .killDaemon, .killDaemonWithin, .killService, .stallService:
            .drawn
        }
    }
}

extension AppAction.Kind {
    package var stormPlace: StormPlace {
        switch self {
        case .beginTask, .endTask, .endInvalidTask, .askBackgroundTime, .openURL, .canOpenURL, .exit,
            .activateScene, .destroyScene,
            .crash, .block, .fork, .allocate, .write, .lock, .unlock, .listen, .grabInput, .provideSnapshots,
            .refreshSnapshot,
            .complete,
            .setFetchInterval, .submitTask, .cancelTask, .use, .leave, .after:
            .drawn
        case .work, .transfer:
            .never(because: "tests of the world judge what it costs, and oracles of storms do not")
        case .useGPU:
            .never(because: "in the background it ends the app, as other things of storms do: r10-gpu.yaml has it")
        case .ask:
            .drawnWithModels
        }
    }
}
