import Model
import PolicyCore
import Testing

/// The numbers of enums that are stored as they are: in recordings, in checkpoints and in the database.
@Suite("Stored numbers are for ever")
struct RawValueTests {
    /// Looks at every number that there can be, so that no case is left out.
    private func expect<Value: RawRepresentable<UInt8>>(
        _: Value.Type, _ table: [UInt8: String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for number in UInt8.min...UInt8.max {
            let name = Value(rawValue: number).map { "\($0)" }
            #expect(name == table[number], "\(Value.self) \(number)", sourceLocation: sourceLocation)
        }
    }

    /// Those that count from a number on, without a gap.
    private func expect<Value: RawRepresentable<UInt8>>(
        _ type: Value.Type, from first: UInt8, _ names: String, and others: [UInt8: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let names = names.split(separator: " ").map(String.init)
        let table = Dictionary(uniqueKeysWithValues: zip(first..., names))
        expect(type, table.merging(others) { $1 }, sourceLocation: sourceLocation)
    }

    @Test("Events of the log") func logEvents() {
        expect(
            LogEvent.self, from: 0,
            """
            launched launchedInBackground suspended resumed terminated willFinishLaunching didFinishLaunching \
            didBecomeActive willResignActive didEnterBackground willEnterForeground willTerminate openedURL \
            suspensionFailed serviceStopped keptRunning openRequested homePressed locked unlocked switcherOpened \
            switcherClosed closeRequested restartRequested exemptionChanged interrupted interruptionEnded callAccepted \
            callEnded slept woke booted shutDown daemonRestarted uninstalled didReceiveMemoryWarning reclaimed \
            memoryShort memoryRecovered memoryLimitExceeded taskBegan taskEnded tasksExpired taskRefused \
            conditionChanged toldOfChanges listens peerConnected peersRefused connectionsClosed performFetch \
            handleEventsForBackgroundURLSession launchBackgroundTask wakeRequested wakeRefused windowCompleted \
            windowExpires windowOverrun taskSubmitted taskCancelled taskRequestRefused refreshAllowed entriesOmitted \
            handleServiceEvents descriptorsNearLimit
            """,
            and: [
                80: "priorityInversion", 81: "screenHeld", 82: "screenReleased", 90: "sceneWillConnect",
                91: "sceneWillEnterForeground", 92: "sceneDidBecomeActive", 93: "sceneWillResignActive",
                94: "sceneDidEnterBackground", 95: "sceneDidDisconnect", 96: "didDiscardScene",
                97: "didReceiveRemoteNotification", 98: "methodCalled", 99: "cachesEmptied",
            ])
    }

    @Test("Apps, and what they are told") func apps() {
        expect(LifecycleState.self, from: 0, "notRunning inactive active background suspended")
        expect(
            CallbackKind.self, from: 0,
            """
            willFinishLaunching didFinishLaunching didBecomeActive willResignActive didEnterBackground \
            willEnterForeground willTerminate openURL didReceiveMemoryWarning performFetch \
            handleEventsForBackgroundURLSession launchBackgroundTask handleServiceEvents scene
            """)
        expect(
            SceneStep.self, from: 0,
            """
            willConnect willEnterForeground didBecomeActive willResignActive didEnterBackground didDisconnect \
            didDiscard openURL
            """)
        expect(SceneState.self, from: 0, "unattached background inactive active")
        expect(SceneSupport.self, from: 0, "none one several")
        expect(AppKind.self, from: 0, "application plain")
        expect(ScreenRole.self, from: 0, "primary secondary pip")
        expect(AppPriority.self, [1: "background", 2: "timed", 3: "foreground"])
        expect(ProcessPhase.self, from: 0, "none starting connecting launching alive")
    }

    @Test("Background modes") func modes() {
        let table: [(BackgroundModes, UInt8)] = [
            (.audio, 1), (.location, 2), (.voip, 4), (.fetch, 8), (.remoteNotification, 16), (.listen, 32),
            (.processing, 64),
        ]
        for (mode, bit) in table {
            #expect(mode.mask == bit)
            #expect(BackgroundModes(mask: bit, otherKeys: []) == mode)
        }
        #expect(BackgroundModes.knownKeys.count == table.count, "each mode has a row")
        #expect(BackgroundModes(keys: ["heard", "audio"]).mask == 129)
    }

    @Test("Services, assertions and windows") func services() {
        expect(RetiredService.self, from: 0, "audio location voip fetch remoteNotification")
        expect(
            AssertionKind.self, from: 2,
            "exemption graphical task listen fetch sessionEvents refresh processing service")
        expect(WindowService.self, from: 1, "fetch sessionEvents refresh processing service")
        expect(WindowResult.self, from: 1, "newData noData failed done")
        expect(BackgroundTaskRequest.Kind.self, from: 1, "refresh processing")
        expect(FetchResult.self, from: 0, "newData noData failed")
    }

    @Test("The device and its surroundings") func device() {
        expect(InterruptionKind.self, from: 0, "call sms alert")
        expect(
            SystemChange.self,
            [
                0: "settings", 1: "locale", 2: "timeZone", 3: "significantTime", 4: "screen", 5: "battery",
                6: "network", 7: "backgroundRefresh", 23: "lowPower", 24: "thermalState", 25: "orientation",
                26: "sharedStores", 27: "protectedData", 28: "screenshot", 29: "memory",
            ])
        expect(ProtectedData.self, from: 0, "available ending unavailable")
        expect(ThermalState.self, from: 0, "nominal fair serious critical")
        expect(
            Orientation.self, from: 0,
            "unknown portrait portraitUpsideDown landscapeLeft landscapeRight faceUp faceDown")
        expect(NetworkKind.self, from: 0, "none wifi cellular wired")
        expect(BatteryReading.State.self, from: 0, "unknown unplugged charging full")
        expect(Purpose.self, from: 0, "use transfer streaming browsing keepAlive push fetch location")
        expect(GPUUse.Kind.self, from: 1, "context commands")
        expect(PriorityInversion.Rank.self, from: 1, "idle nice disk background suspended")
    }

    @Test("Memory") func memory() {
        expect(MemoryLevel.self, from: 0, "normal warning critical")
        expect(MemorySource.self, from: 0, "budget machine")
        expect(
            MemoryEnd.Kind.self, from: 0, "pageShortage nothingElse foregroundLimit backgroundLimit pictureLimit")
    }

    @Test("Names in headers and checkpoints") func names() {
        let starts: [SegmentHeader.Start] = [.fresh, .restarted, .continued, .gap]
        #expect(starts.map(\.rawValue) == ["fresh", "restarted", "continued", "gap"])
        let verdicts: [TaskRules.Verdict] = [.watchdog, .runningBoard]
        #expect(verdicts.map(\.rawValue) == ["watchdog", "runningBoard"])
        #expect(WindowRules.Overrun.allCases.map(\.rawValue) == ["suspends", "terminates"])
    }

    @Test("Codes of reports") func codes() {
        let table: [(TerminationCode, String, UInt64)] = [
            (.launchTooSlow, "SPRINGBOARD", 0x8bad_f00d), (.watchdog, "WATCHDOG", 0x8bad_f00d),
            (.taskNotEnded, "RUNNINGBOARD", 0x2182_bad2), (.taskTooLong, "SPRINGBOARD", 0x8bad_f00d),
            (.fetchNotFinished, "RUNNINGBOARD", 0x2182_bad4),
            (.sessionEventsNotFinished, "RUNNINGBOARD", 0x2182_bad3),
            (.excessiveUse, "RUNNINGBOARD", 0xd00d_2bad), (.launchFailed, "GREENROOM", 0xfa11_7042),
            (.addressSpaceAbuse, "GREENROOM", 0xadd5_ab5e), (.pageShortage, "JETSAM", 4),
            (.perProcessLimit, "JETSAM", 7), (.heldLock, "RUNNINGBOARD", 0xdead_10cc),
            (.diskFull, "RUNNINGBOARD", 0xbadd_d15c), (.gpuOffScreen, "GREENROOM", 0x0ff5_c2ee),
            (.cannotFreeze, "GREENROOM", 0x0f4e_e2e0), (.listensSuspended, "GREENROOM", 0xdead_0ea2),
        ]
        for (code, namespace, number) in table {
            #expect(code.namespace == namespace && code.code == number, "\(namespace) \(number)")
        }
    }
}
