import Model
import PolicyCore
import Testing

/// What `why` prints: every entry leads back to what the user, the device or the app did.
@Suite("Causes") struct CauseTests {
    @Test("From suspended back to the press of Home")
    func home() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.home()
        let suspended = try device.last(.suspended, of: app)
        #expect(device.chain(from: suspended) == [.suspended, .didEnterBackground, .willResignActive, .homePressed])
        #expect(device.system.app(app)?.lastEntry == suspended.sequence)
        device.finish()
    }

    @Test("From active back to the command, not to what came before it")
    func open() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.suspend(app)
        device.open(app)
        #expect(
            device.chain(from: try device.last(.didBecomeActive, of: app)) == [
                .didBecomeActive, .willEnterForeground, .resumed, .openRequested,
            ])
        device.finish()
    }

    @Test("A launch that Home overtakes is still explained by the open, and the way out by Home")
    func overtaken() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.hangsIn = [.willFinishLaunching] }
        device.perform(.open(app, role: .primary, wait: false))
        device.perform(.home(wait: false))
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(
            device.chain(from: try device.last(.didBecomeActive, of: app)) == [
                .didBecomeActive, .didFinishLaunching, .willFinishLaunching, .launched, .openRequested,
            ])
        #expect(
            device.chain(from: try device.last(.suspended, of: app)) == [
                .suspended, .didEnterBackground, .willResignActive, .homePressed,
            ])
        device.finish()
    }

    @Test("An end is explained by what asked for it, also when somebody opens the app meanwhile")
    func closedAndOpened() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.hangsIn = [.willTerminate] }
        device.perform(.close(app, wait: false))
        device.perform(.open(app, role: .primary, wait: false))
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(
            device.chain(from: try device.last(.terminated, of: app)) == [
                .terminated, .willTerminate, .didEnterBackground, .willResignActive, .closeRequested,
            ])
        let launched = try device.last(.launched, of: app)
        #expect(device.chain(from: launched) == [.launched, .openRequested])
        #expect(launched.reason == .userOpened("journal"))
        device.finish()
    }

    @Test("An app that another one opened by a URL says so; the chain goes on in the caller's log")
    func url() throws {
        let device = TestDevice()
        let journal = device.installTest("journal")
        let maps = device.installTest("maps", schemes: ["geo"])
        device.open(journal)
        device.request(journal, .openURL("geo:1"))
        let launched = try device.last(.launched, of: maps)
        #expect(launched.reason == .urlOpened(url: "geo:1", by: "journal", app: "maps"))
        #expect(device.chain(from: launched).prefix(3) == [.launched, .openRequested, .didBecomeActive])
        device.finish()
    }

    @Test("An assertion, its end and an exemption are explained")
    func exemption() throws {
        let device = TestDevice()
        let app = device.installTest("bot", kind: .plain)
        device.suspend(app)
        device.perform(.exempt(app, true))
        #expect(device.chain(from: try device.last(.resumed, of: app)) == [.resumed, .exemptionChanged])
        device.perform(.exempt(app, false))
        #expect(device.chain(from: try device.last(.suspended, of: app)) == [.suspended, .exemptionChanged])
        device.finish()
    }

    @Test("Sentences speak of the app by its name and end without a full stop")
    func sentences() {
        let reasons: [Reason] = [
            .userOpened("Journal"), .urlOpened(url: "geo:1", by: nil, app: "Maps"), .userPressedHome, .userLocked,
            .userUnlocked, .userOpenedSwitcher, .userClosedSwitcher, .userClosed("Journal"), .userRestarted("Journal"),
            .exempted("Journal", true), .exempted("Journal", false), .interruption(.call), .interruptionDismissed(.sms),
            .interruptionAccepted(.call), .callEnded, .deviceSlept, .deviceWoke, .deviceBooted, .systemShutDown,
            .daemonRestarted, .uninstalled("Journal"), .launchedAtBoot("Phone"), .launchedAgain("Phone"),
            .nothingEntitles, .assertion(.exemption),
            .onScreenAgain, .wantedInBackground, .endRequested, .thawedFromOutside, .frozenFromOutside,
            .cannotFreeze(attempts: 5), .serviceUndeclared(key: "audio"),
        ]
        let callbacks = CallbackKind.allCases.map { Reason.onTheWay($0, .background) }
        for reason in reasons + callbacks {
            #expect(!reason.sentence.isEmpty)
            #expect(reason.sentence.last != ".")
            #expect(!reason.sentence.contains("Optional("))
        }
        #expect(Set((reasons + callbacks).map(\.sentence)).count >= reasons.count + callbacks.count - 2)
    }
}
