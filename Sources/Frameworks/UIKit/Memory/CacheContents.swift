internal import Foundation

/// What a cache holds, in the order of its use: over a limit, what has not been used for longest goes first.
struct CacheContents {
    /// Keys are the same as NSCache's are: by `isEqual`, or being one object. Casts and hashes are slow, and made once.
    private struct Key: Hashable {
        let object: AnyObject
        let comparable: NSObject?
        let hash: Int

        init(_ object: AnyObject) {
            self.object = object
            comparable = object as? NSObject
            hash = comparable?.hashValue ?? (object as? AnyHashable)?.hashValue ?? ObjectIdentifier(object).hashValue
        }

        static func == (a: Key, b: Key) -> Bool {
            if a.object === b.object { return true }
            guard a.hash == b.hash, let left = a.comparable, let right = b.comparable else { return false }
            return left.isEqual(right)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    private struct Entry {
        let key: Key
        var object: AnyObject
        var cost: Int
        /// Those that were used just before and just after it, by their places.
        var before: Int?
        var after: Int?
    }

    private var places: [Key: Int] = [:]
    /// `nil`: the place is free.
    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    private(set) var totalCost = 0

    var count: Int { places.count }

    /// Finds it, and has used it.
    mutating func find(_ key: AnyObject) -> AnyObject? {
        guard let place = places[Key(key)] else { return nil }
        use(place)
        return entries[place]?.object
    }

    /// - Returns: what was there under the same key.
    mutating func put(_ object: AnyObject, _ key: AnyObject, cost: Int) -> AnyObject? {
        let key = Key(key)
        guard let place = places[key] else {
            let entry = Entry(key: key, object: object, cost: cost, before: nil, after: nil)
            let place = free.popLast() ?? entries.endIndex
            if place == entries.endIndex { entries.append(entry) } else { entries[place] = entry }
            places[key] = place
            totalCost &+= cost
            link(place)
            return nil
        }
        let before = entries[place]
        totalCost &+= cost &- (before?.cost ?? 0)
        entries[place]?.object = object
        entries[place]?.cost = cost
        use(place)
        return before?.object
    }

    mutating func remove(_ key: AnyObject) -> AnyObject? {
        places[Key(key)].flatMap { take($0) }
    }

    /// Takes it away where it is still this object.
    mutating func remove(_ key: AnyObject, ifItIs object: AnyObject) -> AnyObject? {
        guard let place = places[Key(key)], entries[place]?.object === object else { return nil }
        return take(place)
    }

    mutating func removeOldest() -> AnyObject? { oldest.flatMap { take($0) } }

    /// The oldest first.
    func oldest(_ most: Int) -> [(key: AnyObject, object: AnyObject)] {
        var found: [(key: AnyObject, object: AnyObject)] = []
        var place = oldest
        while found.count < most, let here = place, let entry = entries[here] {
            found.append((entry.key.object, entry.object))
            place = entry.after
        }
        return found
    }

    // MARK: The order

    private mutating func use(_ place: Int) {
        guard place != newest else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int) {
        entries[place]?.before = newest
        entries[place]?.after = nil
        if let newest { entries[newest]?.after = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        guard let entry = entries[place] else { return }
        if let before = entry.before { entries[before]?.after = entry.after } else { oldest = entry.after }
        if let after = entry.after { entries[after]?.before = entry.before } else { newest = entry.before }
    }

    private mutating func take(_ place: Int) -> AnyObject? {
        guard let entry = entries[place] else { return nil }
        unlink(place)
        places[entry.key] = nil
        entries[place] = nil
        free.append(place)
        totalCost &-= entry.cost
        return entry.object
    }
}
