import NotificationsWire
import Testing
import Wire

@Suite("The records of notifications") struct NotificationRecordTests {
    private static let content = NotificationContentInfo(
        title: "Dinner", subtitle: "at eight", body: "Bring \"wine\"", badge: 3, sound: "default", category: "invite",
        thread: "t", userInfo: "{\"a\":[1,null]}", level: .timeSensitive, relevance: 0.5, launchImage: "L",
        targetContent: "c", filterCriteria: "f",
        attachments: [NotificationAttachmentInfo(identifier: "1", path: "/c/a.png", type: "public.png")])
    private static let request = NotificationRequestInfo(
        identifier: "r", content: content, trigger: .interval(seconds: 90.5, repeats: true))
    private static let shown = NotificationInfo(date: 20.5, due: 10, request: request)

    private func check<Record: WireRecord>(_ record: Record) throws {
        #expect(try Record(json: record.json) == record)
        // What travels is text.
        let parsed = try JSONValue(parsing: record.json.encoded)
        #expect(try Record(json: parsed) == record)
    }

    @Test(
        "Every kind of trigger",
        arguments: [
            .interval(seconds: 0.5, repeats: false),
            .calendar(NotificationComponents(hour: 8, minute: 30, timeZone: "Europe/Berlin"), repeats: true),
            .calendar(
                NotificationComponents(
                    era: 1, year: 2, quarter: 3, month: 4, day: 5, hour: 6, minute: 7, second: 8, weekday: 1,
                    weekdayOrdinal: 2, weekOfMonth: 3, weekOfYear: 4, yearForWeekOfYear: 5), repeats: false),
            .calendar(
                NotificationComponents(
                    month: 1,
                    calendar: NotificationCalendar(identifier: "hebrew", isLeapMonth: false, days: [20_000, 2])),
                repeats: true),
            .region(
                NotificationRegion(identifier: "home", latitude: -1.5, longitude: 2, radius: 100, onExit: false),
                repeats: true),
            .push,
        ] as [NotificationTriggerInfo])
    func triggers(_ trigger: NotificationTriggerInfo) throws {
        try check(NotificationRequestInfo(identifier: "r", content: NotificationContentInfo(), trigger: trigger))
    }

    @Test("Each component of a date goes where it belongs")
    func components() throws {
        let json: JSONValue = [
            "era": 1, "year": 2, "quarter": 3, "month": 4, "day": 5, "hour": 6, "minute": 7, "second": 8, "weekday": 9,
            "weekdayOrdinal": 10, "weekOfMonth": 11, "weekOfYear": 12, "yearForWeekOfYear": 13, "firstWeekday": 2,
            "minimumDaysInFirstWeek": 4, "timeZone": "UTC",
        ]
        let components = try NotificationComponents(json: json)
        #expect(
            components
                == NotificationComponents(
                    era: 1, year: 2, quarter: 3, month: 4, day: 5, hour: 6, minute: 7, second: 8, weekday: 9,
                    weekdayOrdinal: 10, weekOfMonth: 11, weekOfYear: 12, yearForWeekOfYear: 13, firstWeekday: 2,
                    minimumDaysInFirstWeek: 4, timeZone: "UTC"))
        #expect(components.json == json)
        #expect(NotificationComponents(timeZone: "UTC").isEmpty)
        #expect(!components.isEmpty)
    }

    @Test(
        "A sound is written as one word",
        arguments: [
            (NotificationSoundInfo(), "default"), (NotificationSoundInfo(name: "bell.caf"), "bell.caf"),
            (NotificationSoundInfo(criticalVolume: 0.5), "critical:0.5:default"),
            (NotificationSoundInfo(name: "a:b.caf", criticalVolume: 1), "critical:1.0:a:b.caf"),
            (NotificationSoundInfo(name: "critical:2:x"), "critical:2:x"),
        ])
    func sounds(_ sound: NotificationSoundInfo, _ text: String) {
        #expect(sound.text == text)
        #expect(NotificationSoundInfo(text: text) == sound)
    }

    @Test("What an app asks")
    func requests() throws {
        try check(NotificationHello.client())
        try check(NotificationHello.client(running: [7, 9]))
        try check(NotificationHello.control(.tool))
        #expect(throws: RPCError.self) { try NotificationHello(json: ["protocol": 2, "role": "tool"]) }
        let settings = NotificationSettingsInfo(
            authorization: .provisional, options: [.badge, .alert], alert: .enabled, sound: .disabled,
            badge: .enabled, list: .enabled, lockScreen: .notSupported, criticalAlert: .disabled,
            timeSensitive: .enabled, alertStyle: .banner)
        try check(settings)
        try check(NotificationGreeting(settings: settings, badge: 4, registered: "00ff"))
        try check(NotificationAuthorize(options: [.sound, .timeSensitive]))
        try check(NotificationGranted(granted: true))
        try check(NotificationRequestParameters(request: Self.request))
        try check(NotificationAdded(dropped: ["x"]))
        try check(NotificationPageParameters(after: "x"))
        try check(NotificationPendingPage(requests: [Self.request], more: true))
        try check(NotificationDeliveredPage(notifications: [Self.shown]))
        try check(NotificationRemoval(identifiers: []))
        #expect(NotificationRemoval(identifiers: nil).json == [:])
        #expect(try NotificationRemoval(json: .null).identifiers == nil)
        try check(
            NotificationCategories(categories: [
                NotificationCategoryInfo(
                    identifier: "invite",
                    actions: [
                        NotificationActionInfo(
                            identifier: "say", title: "Answer", options: [.foreground], icon: "i",
                            textInput: .init(button: "Send", placeholder: "Text"))
                    ], intents: ["a"], options: [.customDismissAction], placeholder: "p", summary: "s")
            ]))
        try check(NotificationBadge(count: 3))
        try check(NotificationToken(token: "00ff"))
    }

    @Test("What an app is told, and answers")
    func events() throws {
        let response = NotificationResponseInfo(
            notification: Self.shown, action: NotificationActionName.dismiss, text: "t")
        try check(NotificationWillPresent(seq: 1, notification: Self.shown))
        try check(NotificationPresentationAnswer(options: [.sound, .banner]))
        try check(NotificationDidReceive(seq: 2, response: response))
        try check(NotificationDidReceive(seq: 2, response: nil))
        try check(NotificationOpening(told: NotificationDidReceive(seq: 2, response: response)))
        try check(NotificationOpening(told: nil))
        try check(NotificationPush(seq: 3, payload: "{}", silent: true))
        try check(NotificationPushAnswer(result: .newData))
        try check(NotificationOpenSettings(seq: 4, notification: nil))
        try check(NotificationMutated(content: Self.content))
    }

    @Test("What goes to tools")
    func tools() throws {
        try check(NotificationListParameters(app: "a", after: "1"))
        try check(
            NotificationList(notifications: [
                NotificationEntry(id: "1", app: "a", place: .delivered, date: 2, due: 1, request: Self.request)
            ]))
        try check(NotificationShow(app: "a", request: Self.request))
        try check(NotificationName(id: "1"))
        try check(NotificationAct(id: "1", action: "x", text: "y"))
        try check(NotificationApp(app: "a"))
        try check(NotificationExplanation(sentence: "It waits."))
        try check(NotificationToolPush(app: "a", payload: "{}", type: "background", priority: 5, collapse: "c"))
        try check(NotificationGateway(url: "push://h:1", ca: "/ca.pem"))
        try check(NotificationCrossing(app: "a", region: "home", entered: false))
        try check(NotificationCrossed(notifications: 2))
        let silent = NotificationSilentStatus(
            came: 9, passed: 3, passedThisHour: 2, left: 0, capacity: 3, waitingSince: 1, next: 2, sentence: "s")
        let link = NotificationLinkStatus(
            state: .waiting, gateway: "g", server: "s", device: "00", since: 1, next: 2, trouble: "t",
            acknowledged: 3, keepAlive: 240, lastKeepAlive: 4, nextKeepAlive: 5)
        try check(
            NotificationStatus(
                presenter: NotificationPresenterStatus(name: nil, trouble: "none"), link: link,
                apps: [
                    NotificationAppStatus(
                        app: "a", authorization: .denied, token: "00", badge: 1, pending: 2, delivered: 3,
                        silent: silent)
                ]))
    }

    @Test("A word that is not known is refused by its parameter, and each counts once")
    func words() throws {
        let wrong = try #require(throws: RPCError.self) { try NotificationAuthorize(json: ["options": ["fax"]]) }
        #expect(wrong.data["parameter"] == "options")
        let twice = try NotificationAuthorize(json: ["options": ["sound", "badge", "sound"]])
        #expect(twice.options == [.badge, .sound])
    }

    @Test("An error that Apple has a number for keeps it on its way")
    func errors() {
        #expect(RPCError.notification(.badgeInputInvalid, "no").notificationCode == .badgeInputInvalid)
        #expect(RPCError(.refused, "no").notificationCode == nil)
        #expect(NotificationErrorCode.attachmentCorrupt.rawValue == 105)
        #expect(NotificationErrorCode.contentProvidingInvalid.rawValue == 1501)
    }
}
