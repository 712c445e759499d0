import Synchronization
import UIKit

struct Reminder: Codable, Sendable {
    enum Time: Codable, Sendable {
        case once(Date)
        case daily(hour: Int, minute: Int)
    }

    let text: String
    var time: Time
    /// It is done, or there is a later day.
    var lastDone: Date?

    init(text: String, time: Time) {
        self.text = text
        self.time = time
        // One for each day is not overdue because of the days before.
        if case .daily = time { lastDone = Date() }
    }

    /// When it was to be seen last, if that has come.
    func due(at now: Date) -> Date? {
        switch time {
        case .once(let date): date <= now ? date : nil
        case .daily(let hour, let minute):
            Calendar.current.nextDate(
                after: now, matching: DateComponents(hour: hour, minute: minute), matchingPolicy: .nextTime,
                direction: .backward)
        }
    }

    func isOverdue(at now: Date) -> Bool {
        guard let due = due(at: now) else { return false }
        return lastDone.map { $0 < due } ?? true
    }

    /// When it is to be seen next.
    func next(after now: Date) -> Date? {
        switch time {
        case .once(let date): date > now ? date : nil
        case .daily(let hour, let minute):
            Calendar.current.nextDate(
                after: now, matching: DateComponents(hour: hour, minute: minute), matchingPolicy: .nextTime)
        }
    }
}

extension Reminder.Time {
    /// As the app's URLs say it.
    init?(_ words: [String: String], now: Date) {
        func clock(_ text: String) -> (hour: Int, minute: Int)? {
            let parts = text.split(separator: ":").compactMap { Int($0) }
            guard parts.count == 2, (0...23).contains(parts[0]), (0...59).contains(parts[1]) else { return nil }
            return (parts[0], parts[1])
        }
        if let seconds = words["after"].flatMap({ Double($0) }), seconds > 0 {
            self = .once(now + seconds)
        } else if let time = words["daily"].flatMap(clock) {
            self = .daily(hour: time.hour, minute: time.minute)
        } else if let time = words["at"].flatMap(clock),
            let date = Calendar.current.nextDate(
                after: now, matching: DateComponents(hour: time.hour, minute: time.minute), matchingPolicy: .nextTime)
        {
            self = .once(date)
        } else {
            return nil
        }
    }
}

/// What the user wants to be reminded of: written down at every change, since the app may end at any time.
final class ReminderList: Sendable {
    private let file: URL
    private let reminders: Mutex<[Reminder]>

    init(folder: URL) {
        file = folder.appending(path: "reminders.json")
        let stored = try? Data(contentsOf: file)
        reminders = Mutex(stored.flatMap { try? JSONDecoder().decode([Reminder].self, from: $0) } ?? [])
    }

    var all: [Reminder] { reminders.withLock { $0 } }

    func add(_ reminder: Reminder) {
        change { all in
            all.removeAll { $0.text == reminder.text }
            all.append(reminder)
        }
    }

    func remove(_ text: String) { change { $0.removeAll { $0.text == text } } }

    /// One of each day comes again tomorrow.
    func finish(_ text: String) {
        change { all in
            all.removeAll { reminder in
                if reminder.text == text, case .once = reminder.time { true } else { false }
            }
            for place in all.indices where all[place].text == text { all[place].lastDone = Date() }
        }
    }

    /// Once more, at another time. One of each day stays as it is beside that.
    func postpone(_ text: String, to date: Date) {
        finish(text)
        let isDaily = all.contains { $0.text == text }
        add(Reminder(text: isDaily ? "\(text) (again)" : text, time: .once(date)))
    }

    private func change(_ body: (inout [Reminder]) -> Void) {
        reminders.withLock { reminders in
            body(&reminders)
            do {
                try JSONEncoder().encode(reminders).write(to: file, options: .atomic)
            } catch {
                print("· the list cannot be written: \(error.localizedDescription)")
            }
        }
    }

    // MARK: What the user sees

    func overdue(at now: Date = Date()) -> Int { all.count { $0.isOverdue(at: now) } }

    var screen: String {
        let now = Date()
        let lines = all.map { reminder in
            switch reminder.time {
            case .daily(let hour, let minute): "\(reminder.text)  each day at \(Self.clock(hour, minute))"
            case .once where reminder.isOverdue(at: now): "\(reminder.text)  overdue"
            case .once(let date):
                "\(reminder.text)  \(date.formatted(Date.ISO8601FormatStyle(timeZone: .current)))"
            }
        }
        return (["Reminders"] + (lines.isEmpty ? ["nothing to do"] : lines)).map { "│ \($0)" }.joined(separator: "\n")
    }

    private static func clock(_ hour: Int, _ minute: Int) -> String {
        [hour, minute].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }
}
