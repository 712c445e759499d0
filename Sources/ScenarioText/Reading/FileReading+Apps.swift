internal import Model
internal import Simulation

extension FileReading {
    static let appName = "letters, digits, dots, hyphens and underscores, not a dot or hyphen first, at most 127"

    /// The names first: whatever else is wrong with an app, others may speak of it.
    mutating func readApps(_ tree: Tree?) -> [AppScript] {
        guard let tree, let pairs = pairs(tree, of: "a mapping from names to apps") else { return [] }
        apps = Names("app", pairs.map(\.key))
        var identifiers: Set<AppIdentifier> = []
        return pairs.compactMap { name, place, value in
            guard let script = app(name, place, value) else { return nil }
            guard identifiers.insert(script.manifest.identifier).inserted else {
                findings.note(
                    place, "another app has the identifier \(script.manifest.identifier) too",
                    expected: "an identifier for each app")
                return nil
            }
            return script
        }
    }

    private mutating func app(_ name: String, _ place: Place, _ tree: Tree) -> AppScript? {
        guard let named = AppIdentifier(name) else {
            findings.note(place, "\(quoted(name)) cannot be an app's name", expected: Self.appName)
            return nil
        }
        var script = AppScript(name: name, manifest: AppManifest(identifier: named, name: name))
        guard let fields = fields(tree, .app) else { return script }
        set(&script.manifest.identifier, identifier(fields["identifier"]))
        set(&script.manifest.name, text(fields["title"], of: "text"))
        if truth(fields["plain"]) == true { script.manifest.kind = .plain }
        for mode in list(fields["modes"], of: "background modes") {
            let one = pick(mode, modes.all, modes) { $0 }
            if let one { script.manifest.backgroundModes.formUnion(BackgroundModes(keys: [one])) }
        }
        set(&script.manifest.exitsOnSuspend, truth(fields["exitsOnSuspend"]))
        script.manifest.connectionLimit = span(fields["connectionLimit"])
        script.manifest.urlSchemes = list(fields["schemes"], of: "URL schemes").compactMap { scheme($0) }
        script.manifest.taskIdentifiers = list(fields["tasks"], of: "identifiers").compactMap {
            text($0, of: "an identifier")
        }
        set(&script.manifest.scenes, pick(fields["scenes"], SceneSupport.declared, .scenes, \.scenarioName))
        set(&script.manifest.isFreezable, truth(fields["freezable"]))
        set(&script.startup, span(fields["startup"]))
        for (callback, time) in times(fields["callbacks"]) { script.callbackTimes[callback] = time }
        set(&script, reactions: fields["on"])
        for (words, _, value) in fields["hears"].flatMap({ pairs($0, of: "a mapping from words to actions") }) ?? [] {
            script.hears[words] = actions(value)
        }
        script.footprint = memory(fields["memory"])
        script.manners = manners(fields["manners"])
        checkPlain(script, fields)
        return script
    }

    /// What can never happen is a mistake, not a wish.
    private mutating func checkPlain(_ script: AppScript, _ fields: Fields) {
        guard script.manifest.kind == .plain else { return }
        for key in ["callbacks", "on"] {
            guard let tree = fields[key], !tree.isNothing else { continue }
            findings.note(tree.place, "a plain program has no delegate methods", expected: "no `\(key)`")
        }
    }

    private mutating func identifier(_ tree: Tree?) -> AppIdentifier? {
        value(tree, of: "a bundle identifier") { text throws(Mismatch) in
            guard let identifier = AppIdentifier(text) else {
                throw Mismatch(problem: "\(quoted(text)) is not an identifier", expected: Self.appName)
            }
            return identifier
        }
    }

    private mutating func scheme(_ tree: Tree) -> String? {
        value(tree, of: "a URL scheme") { text throws(Mismatch) in
            let others: [Character] = ["+", "-", "."]
            let isScheme =
                text.first.map { $0.isASCII && $0.isLetter } ?? false
                && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0) }
            guard isScheme else {
                throw Mismatch(
                    problem: "\(quoted(text)) is not a URL scheme",
                    expected: "a letter, then letters, digits, plus signs, hyphens and dots")
            }
            return text
        }
    }

    private mutating func set(_ script: inout AppScript, reactions tree: Tree?) {
        guard let tree else { return }
        for (key, place, value) in pairs(tree, of: "a mapping from delegate methods to actions") ?? [] {
            let actions = actions(value)
            if key == "expiration" {
                script.expirations = actions
                continue
            }
            guard let callback = pick(.scalar(key, place), CallbackKind.allCases, .callbacks, \.name) else { continue }
            script.reactions[callback] = actions
        }
    }

    private mutating func actions(_ tree: Tree) -> [AppAction] {
        var trees = [tree]
        if case .list(let several, _) = tree { trees = several }
        return trees.compactMap { phrase($0, .actions) }
    }

    private mutating func memory(_ tree: Tree?) -> AppScript.Footprint {
        var footprint = AppScript.Footprint()
        guard let tree, let fields = fields(tree, .memory) else { return footprint }
        set(&footprint.dirtyBytes, bytes(fields["dirty"]))
        set(&footprint.purgeableBytes, bytes(fields["purgeable"]))
        set(&footprint.cleanBytes, bytes(fields["clean"]))
        set(&footprint.releasableBytes, bytes(fields["releases"]))
        return footprint
    }

    private mutating func manners(_ tree: Tree?) -> Manners {
        var manners = Manners()
        guard let tree, let fields = fields(tree, .manners) else { return manners }
        set(&manners.connects, truth(fields["connects"]))
        for callback in list(fields["hangsIn"], of: "delegate methods") {
            if let kind = pick(callback, CallbackKind.allCases, .callbacks, \.name) { manners.hangsIn.insert(kind) }
        }
        set(&manners.answersPings, truth(fields["answersPings"]))
        set(&manners.isTraced, truth(fields["traced"]))
        set(&manners.ignoresTermination, truth(fields["ignoresTermination"]))
        set(&manners.leavesOthers, truth(fields["leavesOthers"]))
        set(&manners.processCount, number(fields["processes"], in: 1...1_000_000, as: "a count"))
        set(&manners.ignoresPeers, truth(fields["ignoresPeers"]))
        set(&manners.canFreeze, truth(fields["freezes"]))
        manners.launchFailure = launchFailure(fields["launchFailure"])
        set(&manners.replyDelay, span(fields["replyDelay"]))
        return manners
    }

    private mutating func launchFailure(_ tree: Tree?) -> LaunchFailure? {
        guard let tree, let fields = fields(tree, .launchFailure) else { return nil }
        let stage = text(fields["stage"], of: "text")
        let number = number(fields["errorNumber"], in: Int32(0)...4095, as: "an error number")
        let message = text(fields["message"], of: "text")
        guard let stage, let number, let message else { return nil }
        return LaunchFailure(stage: stage, errorNumber: number, message: message)
    }
}
