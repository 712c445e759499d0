import DBus
import NotificationsService
import TestBus
import Testing

@Suite("What the notification daemon is asked for", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct MessageTests {
    /// What a daemon with these capabilities gets to see.
    private func notify(_ shown: Shown, _ capabilities: [String] = FakeDaemon.all) throws -> FakeDaemon.Notify {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, capabilities: capabilities)
        let stage = try Stage(bus)
        stage.show(shown)
        return try daemon.notified.next()
    }

    @Test("All of a notification arrives")
    func complete() throws {
        let shown = Shown(
            id: "1", app: "Journal", desktopEntry: "dev.greenroom.journal", icon: "/apps/journal icon.png",
            title: "Title", subtitle: "Subtitle", body: "First\nSecond", sound: .standard, image: "/pictures/ä%.png",
            actions: [.init(id: "later", title: "Later"), .init(id: "reply", title: "Reply", placeholder: "Text…")])
        let notify = try notify(shown)
        #expect(notify.app == "Journal" && notify.title == "Title" && notify.body == "Subtitle\nFirst\nSecond")
        #expect(notify.replaced == 0 && notify.timeout == -1 && notify.icon == "file:///apps/journal%20icon.png")
        #expect(notify.actions == ["default", "Open", "action-0", "Later", "inline-reply", "Reply"])
        #expect(
            notify.hints
                == .properties([
                    "urgency": .byte(1), "desktop-entry": .string("dev.greenroom.journal"),
                    "image-path": .string("file:///pictures/%C3%A4%25.png"),
                    "x-kde-reply-placeholder-text": .string("Text…"), "sound-name": .string("message-new-instant"),
                ]))
    }

    @Test(
        "The level decides the urgency, whether it stays, and whether it is heard",
        arguments: [
            (.passive, 0, -1, false), (.active, 1, -1, true), (.timeSensitive, 1, 0, true), (.critical, 2, 0, true),
        ]
            as [(Shown.Level, UInt8, Int32, Bool)])
    func levels(_ level: Shown.Level, _ urgency: UInt8, _ timeout: Int32, _ isHeard: Bool) throws {
        var shown = Shown.plain("1")
        shown.level = level
        let notify = try notify(shown)
        #expect(notify.hints["urgency"] == .byte(urgency) && notify.timeout == timeout && notify.isSilent != isHeard)
    }

    @Test("A sound is a name, a file or none")
    func sounds() throws {
        #expect(try notify(.plain("1", sound: .none)).hints["suppress-sound"] == .boolean(true))
        #expect(try notify(.plain("1", sound: .named("bell"))).hints["sound-name"] == .string("bell"))
        let file = try notify(.plain("1", sound: .file("/apps/ding.wav"))).hints
        #expect(file["sound-file"] == .string("/apps/ding.wav") && file["suppress-sound"] == nil)
    }

    @Test("A daemon is given what it says it can display, and markup of an app stays text")
    func capabilities() throws {
        var shown = Shown.plain("1", "<i>T</i>")
        (shown.subtitle, shown.body) = ("Sub", "<b>5 & 6</b>")
        shown.actions = [.init(id: "a", title: "A"), .init(id: "r", title: "R", placeholder: "")]
        let marked = try notify(shown)
        #expect(marked.title == "<i>T</i>" && marked.body == "Sub\n&lt;b&gt;5 &amp; 6&lt;/b&gt;")
        let plain = try notify(shown, ["body", "actions"])
        #expect(plain.body == "Sub\n<b>5 & 6</b>")
        #expect(plain.actions == ["default", "Open", "action-0", "A", "action-1", "R"])
        let bare = try notify(shown, [])
        #expect(bare.title == "<i>T</i>: Sub: <b>5 & 6</b>" && bare.body.isEmpty && bare.actions.isEmpty)
    }

    @Test("Marks that combine with markup, or with a control character, do not hide it")
    func combiningMarks() throws {
        var shown = Shown.plain("1", "a\u{1b}\u{301}b\u{7}\u{338}")
        shown.body = "a <\u{338} b &\u{301} c >\u{20dd} d"
        let notify = try notify(shown)
        #expect(
            notify.body.unicodeScalars.elementsEqual("a &lt;\u{338} b &amp;\u{301} c &gt;\u{20dd} d".unicodeScalars))
        #expect(!notify.title.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test("A notification without a title has the app's name for one")
    func untitled() throws {
        let notify = try notify(.plain("1", ""))
        #expect(notify.title == "Journal" && notify.body == "Body")
    }

    @Test("Texts without end, and what cannot be shown, are cut")
    func hostileTexts() throws {
        var shown = Shown.plain("1", "a\0b\u{1b}[31mc\td\u{7}")
        shown.body = String(repeating: "ä", count: 100_000)
        shown.desktopEntry = "\0\0"
        let notify = try notify(shown)
        #expect(notify.title == "ab[31mc\td")
        #expect(notify.body == String(repeating: "ä", count: 2048) + "…")
        #expect(notify.hints["desktop-entry"] == .string(""))
    }
}
