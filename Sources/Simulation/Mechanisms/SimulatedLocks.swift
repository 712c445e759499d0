internal import Model
internal import PolicyCore

/// The files that apps lock, and who waits for whom. A lock belongs to a process, and goes with it.
struct SharedFiles {
    struct Owner: Hashable {
        var place: Int
        var generation: Generation
    }

    struct File {
        var name: String
        var holder: Owner?
        /// The oldest first.
        var waiters: [Owner] = []
    }

    /// In the order in which they were first asked for.
    private(set) var files: [File] = []

    /// Takes the lock, or waits for it.
    mutating func lock(_ name: String, _ owner: Owner) {
        let number = files.firstIndex { $0.name == name } ?? files.endIndex
        if number == files.endIndex { files.append(File(name: name)) }
        if files[number].holder == nil {
            files[number].holder = owner
            files[number].waiters.removeAll { $0 == owner }
        } else if files[number].holder != owner, !files[number].waiters.contains(owner) {
            files[number].waiters.append(owner)
        }
    }

    /// Lets go of the lock, or waits no more; the next one that runs has it then.
    mutating func unlock(_ name: String, _ owner: Owner, next runs: (Owner) -> Bool) {
        guard let number = files.firstIndex(where: { $0.name == name }) else { return }
        files[number].waiters.removeAll { $0 == owner }
        guard files[number].holder == owner else { return }
        let next = files[number].waiters.firstIndex(where: runs)
        files[number].holder = next.map { files[number].waiters.remove(at: $0) }
    }

    mutating func unlockAll(_ owner: Owner, next runs: (Owner) -> Bool) {
        for name in files.map(\.name) { unlock(name, owner, next: runs) }
    }

    /// Who waited while nobody had the lock can run again.
    mutating func retry(_ owner: Owner) {
        for file in files where file.holder == nil && file.waiters.contains(owner) { lock(file.name, owner) }
    }

    func held(by owner: Owner) -> [File] { files.filter { $0.holder == owner } }
}

enum LockStep {
    /// In this suspension.
    case look(UInt32)
}

extension Device {
    /// In the container of the app that names it so: nobody else comes to it.
    private static func isOwn(_ file: String) -> Bool { file.hasPrefix("~") }

    private func owner(_ place: Int) -> SharedFiles.Owner? {
        apps[place].process.map { SharedFiles.Owner(place: place, generation: $0.generation) }
    }

    func lock(_ file: String, _ place: Int) {
        guard !Self.isOwn(file), let owner = owner(place) else { return }
        files.lock(file, owner)
        // Who has it may have been frozen before anybody minded.
        guard let holder = files.files.first(where: { $0.name == file })?.holder, holder != owner else { return }
        awaitLook(holder.place)
    }

    func unlock(_ file: String, _ place: Int) {
        guard !Self.isOwn(file), let owner = owner(place) else { return }
        files.unlock(file, owner, next: canTake)
    }

    /// The process is gone, and its locks with it.
    func unlockAll(_ place: Int) {
        if let owner = owner(place) { files.unlockAll(owner, next: canTake) }
    }

    /// It runs again: what it waited for may be free by now.
    func retryLocks(_ place: Int) {
        if let owner = owner(place) { files.retry(owner) }
    }

    private func canTake(_ owner: SharedFiles.Owner) -> Bool {
        guard let process = apps[owner.place].process, process.generation == owner.generation else { return false }
        return process.status == nil && !process.isFrozen
    }

    /// What it has locked that others may need.
    func heldLocks(_ place: Int) -> [SharedFiles.File] { owner(place).map { files.held(by: $0) } ?? [] }

    /// It has something locked that others may need.
    package func isLocking(_ place: Int) -> Bool { !heldLocks(place).isEmpty }

    /// Somebody waits for a lock that it has.
    func isInTheWay(_ place: Int) -> Bool { heldLocks(place).contains { !$0.waiters.isEmpty } }

    // MARK: The daemon's looks

    /// Tells of a lock, as the real daemon does once nothing of the app can change any more.
    func tellOfLock(_ place: Int) {
        let held = heldLocks(place)
        guard let file = held.first(where: { !$0.waiters.isEmpty }) ?? held.first else { return }
        send(.locks(.found(path: file.name, blocksOthers: !file.waiters.isEmpty)), of: place)
    }

    /// The daemon looks now and then at what suspended apps have locked.
    func awaitLook(_ place: Int) {
        guard apps[place].process?.isFrozen == true else { return }
        after(costs.lockLook, place) { .mechanism(.locks(.look($0.suspension))) }
    }

    func take(_ step: LockStep, _ place: Int) {
        guard case .look(let suspension) = step, suspension == apps[place].process?.suspension, daemon == .running,
            apps[place].process?.isFrozen == true, state(place) == .suspended, isInTheWay(place)
        else { return }
        tellOfLock(place)
    }
}
