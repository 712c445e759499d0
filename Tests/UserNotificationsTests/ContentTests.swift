import Foundation
import NotificationsWire
import Testing
import UserNotifications
import Wire

@Suite("Content, triggers and extensions") struct ContentTests {
    private static func content() -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = "T"
        content.subtitle = "S"
        content.body = "B"
        content.badge = 4
        content.sound = .criticalSoundNamed(.init("siren.caf"), withAudioVolume: 0.5)
        content.userInfo = [
            "text": "x", "number": 7, "real": 1.5, "yes": true, "date": Date(timeIntervalSince1970: 5.5),
            "bytes": Data([0, 255]), "list": [1, "a"] as [Any], "inner": ["$date": "not one"] as [String: Any],
        ]
        content.categoryIdentifier = "c"
        content.threadIdentifier = "t"
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.25
        content.launchImageName = "L"
        content.targetContentIdentifier = "target"
        content.filterCriteria = "f"
        return content
    }

    @Test("A request keeps the content as it was, and mutable copies are apart")
    func copies() throws {
        let content = Self.content()
        let request = UNNotificationRequest(identifier: "a", content: content, trigger: nil)
        content.title = "later"
        #expect(request.content.title == "T")
        #expect(!(request.content is UNMutableNotificationContent))
        let copy = try #require(request.content.mutableCopy() as? UNMutableNotificationContent)
        #expect(copy == request.content)
        copy.body = "other"
        #expect(copy != request.content && request.content.body == "B")
    }

    @Test("Content comes back from its record as it was")
    func roundTrip() throws {
        let request = UNNotificationRequest(identifier: "a", content: Self.content(), trigger: nil)
        let info = try request.record()
        let back = UNNotificationRequest(try NotificationRequestInfo(json: try JSONValue(parsing: info.json.encoded)))
        #expect(back == request)
        let userInfo = back.content.userInfo
        #expect(userInfo["text"] as? String == "x")
        #expect(userInfo["number"] as? Int == 7 && userInfo["number"] as? Double == 7)
        #expect(userInfo["real"] as? Double == 1.5 && userInfo["yes"] as? Bool == true)
        #expect(userInfo["date"] as? Date == Date(timeIntervalSince1970: 5.5))
        #expect(userInfo["bytes"] as? Data == Data([0, 255]))
        #expect((userInfo["inner"] as? [String: Any])?["$date"] as? String == "not one")
        #expect(back.content.sound == .criticalSoundNamed(.init("siren.caf"), withAudioVolume: 0.5))
        #expect(back.content.interruptionLevel == .timeSensitive && back.content.relevanceScore == 0.25)
    }

    @Test("Numbers keep their kind on their way")
    func numbers() {
        let values: [(Any, JSONValue)] = [
            (1, 1), (true, true), (NSNumber(value: false), false), (NSNumber(value: 1), 1), (2.0, 2.0),
            (Float(0.5), 0.5), (UInt8(9), 9), (Int64.min, .int(.min)), (UInt64.max, .double(Double(UInt64.max))),
            (NSNull(), nil), ([[1]], [[1]]),
        ]
        for (value, json) in values { #expect(JSONValue(propertyList: value) == json, "\(value)") }
        #expect(JSONValue(propertyList: URL(fileURLWithPath: "/")) == nil)
        #expect(JSONValue(propertyList: [1: "a"]) == nil, "keys are strings")
        #expect(JSONValue(propertyList: ["a": [URL(fileURLWithPath: "/")]]) == nil)
    }

    @Test("A trigger's next date is the next one that matches, in its zone")
    func next() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        // Thursday, 1 January 1970, 1:00 in Berlin.
        let epoch = Date(timeIntervalSince1970: 0)
        let cases: [(DateComponents, Double)] = [
            (DateComponents(hour: 8, minute: 30), 7.5 * 3600), (DateComponents(hour: 1), 24 * 3600),
            (DateComponents(minute: 10), 600), (DateComponents(hour: 0, weekday: 2), (3 * 24 + 23) * 3600),
            (DateComponents(year: 1971, month: 1, day: 1), 365 * 86_400 - 3600),
        ]
        for (components, seconds) in cases {
            var components = components
            components.timeZone = zone
            let trigger = UNCalendarNotificationTrigger(dateMatching: components, repeats: false)
            #expect(trigger.nextTriggerDate(after: epoch)?.timeIntervalSince1970 == seconds, "\(components)")
        }
        let past = UNCalendarNotificationTrigger(dateMatching: DateComponents(year: 1969, month: 5), repeats: false)
        #expect(past.nextTriggerDate(after: epoch) == nil)
        #expect(UNCalendarNotificationTrigger(dateMatching: DateComponents(), repeats: true).nextTriggerDate() == nil)
        let interval = UNTimeIntervalNotificationTrigger(timeInterval: 100, repeats: true)
        let wait = try #require(interval.nextTriggerDate()).timeIntervalSinceNow
        #expect((90...100).contains(wait))
    }

    @Test("Weeks are those of the app's calendar")
    func weeks() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        let components = DateComponents(calendar: calendar, weekday: 2, weekOfYear: 10)
        guard
            case .calendar(let info, true) = UNCalendarNotificationTrigger(dateMatching: components, repeats: true).info
        else {
            Issue.record("it is no calendar trigger")
            return
        }
        #expect(info.firstWeekday == 2 && info.minimumDaysInFirstWeek == 4 && info.timeZone == nil)
    }

    @Test("A file is attached if it is there, is of a known type, and is not too large")
    func attachments() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, bytes: Int) throws -> URL {
            let url = folder.appendingPathComponent(name)
            try Data(count: bytes).write(to: url)
            return url
        }
        func code(_ url: URL, _ options: [AnyHashable: Any]? = nil) -> UNError.Code? {
            do {
                _ = try UNNotificationAttachment(identifier: "a", url: url, options: options)
                return nil
            } catch {
                return (error as? UNError)?.code
            }
        }
        let picture = try UNNotificationAttachment(identifier: "", url: try file("a.PNG", bytes: 3))
        #expect(!picture.identifier.isEmpty && picture.type == "public.png")
        #expect(picture.url.lastPathComponent == "a.PNG")
        #expect(code(folder.appendingPathComponent("none.png")) == .attachmentInvalidURL)
        #expect(code(URL(string: "https://h/a.png") ?? folder) == .attachmentInvalidURL)
        #expect(code(try file("a.txt", bytes: 3)) == .attachmentUnrecognizedType)
        let hint = [UNNotificationAttachmentOptionsTypeHintKey: "public.jpeg"]
        #expect(code(try file("b", bytes: 3), hint) == nil)
        #expect(code(try file("empty.png", bytes: 0)) == .attachmentInvalidFileSize)
        #expect(code(try file("long.wav", bytes: 5 << 20 + 1)) == .attachmentInvalidFileSize)
    }

    @Test("A text without a translation is its key, with its arguments")
    func localized() {
        #expect(NSString.localizedUserNotificationString(forKey: "Dinner", arguments: nil) == "Dinner")
        #expect(
            NSString.localizedUserNotificationString(forKey: "%@ at %d", arguments: ["Dinner", 8]) == "Dinner at 8")
    }

    @Test("An error has Apple's domain, number and pattern")
    func errors() {
        let error: any Error = UNError(.badgeInputInvalid)
        #expect((error as NSError).domain == UNErrorDomain && (error as NSError).code == 1600)
        #expect(error.localizedDescription == (error as NSError).localizedDescription)
        #expect(UNError.badgeInputInvalid ~= error && !(UNError.notificationsNotAllowed ~= error))
    }
}
