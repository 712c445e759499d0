internal import Model
package import Wire

/// Finds the app that a person means.
package struct AppNames {
    private let apps: [AppInfo]
    /// What to say where nothing is similar to what was asked for.
    private let advice: String

    package init(
        _ apps: [AppInfo], advice: String? = nil
    ) {
        self.apps = apps
        self.advice =
            advice
            ?? (apps.isEmpty
                ? "none is installed yet: greenroom install PATH" : "greenroom apps lists those that are installed")
    }

    /// The identifier of the one app with this identifier, name or last component, whatever its case.
    package func identifier(for text: String) throws(CommandFailure) -> String {
        if apps.contains(where: { $0.app == text }) { return text }
        let wanted = text.lowercased()
        let same = apps.filter { $0.app.lowercased() == wanted }
        let found = same.isEmpty ? apps.filter { Self.shortNames($0).contains(wanted) } : same
        if found.count == 1, let only = found.first { return only.app }
        guard found.isEmpty else {
            let choices = found.map(\.app).joined(separator: " or ")
            throw .failed("\(Visible.line(text)) could be \(choices): give the whole identifier")
        }
        throw .failed("there is no app \(Visible.line(text)); \(suggestion(for: wanted))")
    }

    private func suggestion(for wanted: String) -> String {
        let nearest =
            apps
            .flatMap { app in
                (Self.shortNames(app) + [app.app.lowercased()]).map { (app, Self.distance(wanted, $0)) }
            }
            .min { $0.1 < $1.1 }
        guard let (app, distance) = nearest, distance <= max(2, wanted.count / 3) else {
            return advice
        }
        return "did you mean \(Visible.line(app.name)) (\(app.app))?"
    }

    private static func shortNames(_ app: AppInfo) -> [String] {
        [app.name.lowercased()] + (app.app.split(separator: ".").last.map { [$0.lowercased()] } ?? [])
    }

    /// How many letters have to be put in, left out or changed.
    private static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a.prefix(128)), Array(b.prefix(128)))
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}

extension ControlClient {
    package func apps() throws(CommandFailure) -> [AppInfo] { try records(allApps(), AppInfo.self) }

    package func allApps() throws(CommandFailure) -> JSONValue { try joined(.apps) }

    /// As if an answer had room for all apps that run: with what the first piece says besides.
    package func allMemory() throws(CommandFailure) -> JSONValue { try joined(.memory, in: "apps") }

    /// An answer has room for some thousand apps. `key`: where in it they are; `nil`: it is their list.
    private func joined(_ method: ControlMethod, in key: String? = nil) throws(CommandFailure) -> JSONValue {
        var whole: JSONValue?
        var all: [JSONValue] = []
        while true {
            var params: JSONObject = [:]
            params["after"] = all.last?["app"]
            let answer = try request(method, params)
            whole = whole ?? answer
            guard case .array(let page)? = key.map({ answer[$0] }) ?? answer else { return answer }
            // A daemon of an earlier version begins again.
            guard let first = page.first, first["app"] != all.first?["app"] else { break }
            all += page
            guard page.count >= Limits.leastAppsPage else { break }
        }
        guard let key, case .object(var object)? = whole else { return .array(all) }
        object[key] = .array(all)
        return .object(object)
    }

    /// Asks about an app that a person named. The daemon is asked first: mostly the identifier is given as it is.
    package func request(
        _ method: ControlMethod, app: String, _ params: JSONObject = [:]
    ) throws(CommandFailure) -> JSONValue {
        var params = params
        if AppIdentifier(app) != nil {
            params["app"] = .string(app)
            do {
                return try ask(method, params)
            } catch {
                guard case .refused(let refusal) = error, refusal.code == .unknown else { throw error.command }
            }
        }
        let found = try AppNames(apps()).identifier(for: app)
        guard found != app else { throw .failed("there is no app \(app)") }
        params["app"] = .string(found)
        return try request(method, params)
    }

    /// The identifier to filter by. An app that is gone still has a past, so what is not known is left as it is.
    package func filter(_ app: String) throws(CommandFailure) -> String {
        let known = try apps()
        do {
            return try AppNames(known).identifier(for: app)
        } catch {
            guard AppIdentifier(app) != nil, app.contains(".") else { throw error }
            return app
        }
    }
}

/// The daemon's answer as records; what does not fit is the daemon's fault, and said so.
func record<Record: WireRecord>(_ json: JSONValue, _ type: Record.Type) throws(CommandFailure) -> Record {
    do {
        return try Record(json: json)
    } catch {
        throw .failed("the daemon's answer cannot be read: \(error.message). Is it of another version?")
    }
}

func records<Record: WireRecord>(_ json: JSONValue, _ type: Record.Type) throws(CommandFailure) -> [Record] {
    do {
        return try Record.list(json: json)
    } catch {
        throw .failed("the daemon's answer cannot be read: \(error.message). Is it of another version?")
    }
}
