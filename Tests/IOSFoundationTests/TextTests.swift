import Foundation
import IOSFoundation
import Testing

@Suite("Texts in the user's language")
struct TextTests {
    private let name = "Ann"

    /// Lends a bundle with English tables, by their names.
    private func withBundle(_ tables: [String: String], _ body: (Bundle) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "greenroom-\(UUID()).bundle")
        let texts = folder.appending(path: "en.lproj")
        try FileManager.default.createDirectory(at: texts, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, table) in tables { try Data(table.utf8).write(to: texts.appending(path: "\(name).strings")) }
        try body(try #require(Bundle(path: folder.path)))
    }

    @Test("A key that no table has is the text")
    func keys() {
        #expect(String(localized: "Good morning") == "Good morning")
        #expect(String(localized: "Good morning", comment: "Said before noon.") == "Good morning")
        #expect(String(localized: "100%") == "100%")
    }

    @Test("Values stand in their places, whatever they are")
    func values() {
        #expect(String(localized: "Hello, \(name)!") == "Hello, Ann!")
        let (count, share) = (3, 40)
        #expect(String(localized: "\(count) messages, \(share)% by \(name)") == "3 messages, 40% by Ann")
        let text: String.LocalizationValue = "\(name) has \(count)"
        #expect(String(localized: text) == "Ann has 3")
        let percent = "%@"
        #expect(String(localized: "\(percent) and \(name)") == "%@ and Ann")
    }

    @Test("A text says what to do with a value of its own where it stands for a key")
    func defaultValues() {
        #expect(String(localized: "greeting", defaultValue: "Hello!") == "Hello!")
        #expect(String(localized: "greeting", defaultValue: "Hello, \(name)!") == "Hello, Ann!")
    }

    @Test("What looks like a place in the key itself is text")
    func percentSigns() {
        #expect(String(localized: "20%discount for \(name)") == "20%discount for Ann")
    }

    @Test("A text without values is as it stands, so that it can be a format of the app's own")
    func formats() throws {
        #expect(String(localized: "%d items") == "%d items")
        try withBundle(["Localizable": #""items" = "%1$d items, %@";"#]) { bundle in
            #expect(String(localized: "items", bundle: bundle) == "%1$d items, %@")
        }
    }

    @Test("A table's text has the values where it wants them")
    func tables() throws {
        let table = #"""
            "Good morning" = "Good day";
            "greeting" = "Good day, %@!";
            "%@ beats %@" = "%2$@ loses to %1$@";
            "%lld by %@" = "%2$@: %1$lld";
            "%@ by %lld" = "%@, by %d";
            "all of %@" = "100%% of %@";
            "%@ twice" = "%1$@ and %1$@";
            """#
        try withBundle(["Localizable": table]) { bundle in
            let (count, other) = (3, "Bob")
            #expect(String(localized: "Good morning", bundle: bundle) == "Good day")
            #expect(String(localized: "Good night", bundle: bundle) == "Good night")
            #expect(String(localized: "\(name) beats \(other)", bundle: bundle) == "Bob loses to Ann")
            #expect(String(localized: "\(count) by \(name)", bundle: bundle) == "Ann: 3")
            #expect(String(localized: "\(name) by \(count)", bundle: bundle) == "Ann, by 3")
            #expect(String(localized: "all of \(name)", bundle: bundle) == "100% of Ann")
            #expect(String(localized: "\(name) twice", bundle: bundle) == "Ann and Ann")
            #expect(
                String(localized: "greeting", defaultValue: "Hello, \(name)!", bundle: bundle) == "Good day, Ann!")
            #expect(String(localized: "farewell", defaultValue: "Bye, \(name)!", bundle: bundle) == "Bye, Ann!")
        }
    }

    @Test("A text is looked for in the table that was named")
    func namedTables() throws {
        let tables = ["Localizable": #""title" = "First";"#, "Other": #""title" = "Second";"#]
        try withBundle(tables) { bundle in
            #expect(String(localized: "title", bundle: bundle) == "First")
            #expect(String(localized: "title", table: "Other", bundle: bundle) == "Second")
            #expect(String(localized: "title", defaultValue: "None", table: "Other", bundle: bundle) == "Second")
            #expect(String(localized: "title", defaultValue: "None", table: "Third", bundle: bundle) == "None")
        }
    }
}

@Suite("Notifications one after the other", .timeLimit(.minutes(1)))
struct NotificationSequenceTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("NotificationSequenceTests")

    private func post(_ number: Int, name: Notification.Name? = nil, object: AnyObject? = nil) {
        center.post(name: name ?? self.name, object: object, userInfo: ["number": number])
    }

    /// The numbers of the next notifications.
    private func numbers(_ count: Int, of notifications: NotificationCenter.Notifications) async -> [Int] {
        var numbers: [Int] = []
        for await notification in notifications {
            numbers.append(notification.userInfo?["number"] as? Int ?? 0)
            if numbers.count == count { break }
        }
        return numbers
    }

    @Test("They come in order, from when the sequence was made")
    func order() async {
        post(1)
        let notifications = center.notifications(named: name)
        post(2)
        post(3)
        let heard = await numbers(2, of: notifications)
        #expect(heard == [2, 3])
        post(4)
        let later = await numbers(1, of: notifications)
        #expect(later == [4])
    }

    @Test("Only those of the name come, and of the object if there is one")
    func filters() async {
        let (sender, other) = (NSObject(), NSObject())
        let ofSender = center.notifications(named: name, object: sender)
        let ofAll = center.notifications(named: name)
        post(1, name: Notification.Name("other"), object: sender)
        post(2, object: other)
        post(3, object: sender)
        let heard = await numbers(1, of: ofSender)
        #expect(heard == [3])
        let all = await numbers(2, of: ofAll)
        #expect(all == [2, 3])
    }

    @Test("The center does not hold a sequence, but an iterator does")
    func release() {
        weak var held: NotificationCenter.Notifications?
        do {
            let iterator: NotificationCenter.Notifications.Iterator
            do {
                let notifications = center.notifications(named: name)
                held = notifications
                iterator = notifications.makeAsyncIterator()
            }
            #expect(held != nil)
            post(1)
            withExtendedLifetime(iterator) {}
        }
        #expect(held == nil)
        post(2)
    }
}

@Suite("What a process says of itself")
struct ActivityTests {
    private let process = ProcessInfo.processInfo

    @Test("An activity is done at once, and once")
    func performed() {
        var count = 0
        process.performActivity(options: .userInitiated, reason: "test") { count += 1 }
        #expect(count == 1)
        process.performActivity(reason: "test") { count += 1 }
        #expect(count == 2)
    }

    @Test("Each activity is one of its own")
    func begun() {
        let first = process.beginActivity(options: [.background, .suddenTerminationDisabled], reason: "first")
        let second = process.beginActivity(reason: "second")
        #expect(first !== second)
        process.endActivity(first)
        process.endActivity(second)
    }

    @Test("What the user began keeps the system awake, unless it need not")
    func options() {
        let awake = ProcessInfo.ActivityOptions.userInitiated
        let asleep = ProcessInfo.ActivityOptions.userInitiatedAllowingIdleSystemSleep
        #expect(awake.contains([.idleSystemSleepDisabled, .suddenTerminationDisabled, .automaticTerminationDisabled]))
        #expect(!awake.contains(.idleDisplaySleepDisabled))
        #expect(!asleep.contains(.idleSystemSleepDisabled))
        #expect(asleep.contains(.background))
        #expect(awake == asleep.union(.idleSystemSleepDisabled))
        #expect(awake.isDisjoint(with: .latencyCritical))
    }

    @Test("It runs on no Mac")
    func macs() {
        #expect(!process.isiOSAppOnMac)
        #expect(!process.isMacCatalystApp)
    }

    @Test("The absolute time counts seconds from 2001 on")
    func time() {
        let before = Date.timeIntervalSinceReferenceDate
        let now = CFAbsoluteTimeGetCurrent()
        let after = Date.timeIntervalSinceReferenceDate
        #expect(before <= now)
        #expect(now <= after)
    }
}
