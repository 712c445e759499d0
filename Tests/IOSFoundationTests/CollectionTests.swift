import Foundation
import IOSFoundation
import Testing

private protocol Named: AnyObject {
    var name: String { get }
}

private final class Thing: NSObject, Named {
    let name: String

    init(_ name: String) { self.name = name }
}

/// Equal to others of its kind. It is an object of its own each time that it is made.
private func key(_ text: String) -> NSString { NSString(string: text) }

@Suite("Sets of objects")
struct HashTableTests {
    @Test("A table of weak objects forgets those that are gone")
    func weakObjects() {
        let table = NSHashTable<Thing>.weakObjects()
        let kept = Thing("kept")
        table.add(kept)
        do {
            let gone = Thing("gone")
            table.add(gone)
            #expect(table.count == 2)
        }
        #expect(table.count == 1)
        #expect(table.allObjects.map { $0.name } == ["kept"])
        #expect(table.anyObject === kept)
        #expect(table.contains(kept))
    }

    @Test("A table holds its objects if it was not made otherwise, until they are taken out")
    func strongObjects() {
        for table in [NSHashTable<Thing>(options: .strongMemory), NSHashTable<Thing>()] {
            weak var held: Thing?
            do {
                let thing = Thing("held")
                held = thing
                table.add(thing)
            }
            #expect(held != nil)
            #expect(table.count == 1)
            table.removeAllObjects()
            #expect(held == nil)
            #expect(table.count == 0)
        }
    }

    @Test("The options of either name make a table that does not hold its objects")
    func options() {
        let tables = [
            NSHashTable<Thing>(options: .weakMemory), NSHashTable<Thing>(options: .hashTableWeakMemory),
            NSHashTable<Thing>(options: [.weakMemory, .objectPointerPersonality], capacity: 8),
        ]
        for table in tables {
            do { table.add(Thing("gone")) }
            #expect(table.count == 0)
            #expect(table.anyObject == nil)
        }
    }

    @Test("An object is in it once, and only that object")
    func members() {
        let table = NSHashTable<Thing>.weakObjects()
        let (thing, other) = (Thing("thing"), Thing("other"))
        table.add(thing)
        table.add(thing)
        table.add(nil)
        #expect(table.count == 1)
        #expect(table.member(thing) === thing)
        #expect(table.member(other) == nil)
        #expect(!table.contains(other))
        #expect(!table.contains(nil))
        #expect(table.setRepresentation == Set([AnyHashable(thing)]))
        table.remove(other)
        table.remove(nil)
        #expect(table.contains(thing))
        table.remove(thing)
        #expect(!table.contains(thing))
        #expect(table.count == 0)
    }

    @Test("Its objects may be known by a protocol only")
    func existentials() {
        let table = NSHashTable<any Named>.weakObjects()
        let (a, b) = (Thing("a"), Thing("b"))
        table.add(a)
        table.add(b)
        do { table.add(Thing("gone")) }
        #expect(table.allObjects.map { $0.name }.sorted() == ["a", "b"])
        #expect(table.member(a) as? Thing === a)
        table.remove(a)
        #expect(!table.contains(a))
        #expect(table.contains(b))
        #expect(table.anyObject?.name == "b")
    }

    @Test("An enumerator goes through the objects that are there")
    func enumerator() {
        let table = NSHashTable<Thing>.weakObjects()
        let things = [Thing("a"), Thing("b")]
        for thing in things { table.add(thing) }
        do { table.add(Thing("gone")) }
        let names = table.objectEnumerator().allObjects.compactMap { ($0 as? Thing)?.name }
        #expect(names.sorted() == things.map { $0.name })
    }

    @Test("An object at the address of one that is gone is another")
    func addresses() {
        let table = NSHashTable<Thing>.weakObjects()
        for _ in 0..<1000 {
            let thing = Thing("thing")
            #expect(!table.contains(thing))
            table.add(thing)
            #expect(table.count == 1)
        }
    }
}

@Suite("Objects by objects")
struct MapTableTests {
    /// Whether a pair is still there when nobody else holds its key, and when nobody else holds its value.
    private static func survives(_ table: NSMapTable<Thing, Thing>) -> (Bool, Bool) {
        let (key, value) = (Thing("key"), Thing("value"))
        do { table.setObject(value, forKey: Thing("gone")) }
        let withoutKey = table.count == 1
        table.removeAllObjects()
        do { table.setObject(Thing("gone"), forKey: key) }
        let withoutValue = table.object(forKey: key) != nil
        withExtendedLifetime((key, value)) {}
        return (withoutKey, withoutValue)
    }

    @Test("A table holds its keys and its values, or forgets them, as its kind says")
    func kinds() {
        #expect(Self.survives(.strongToStrongObjects()) == (true, true))
        #expect(Self.survives(.strongToWeakObjects()) == (true, false))
        #expect(Self.survives(.weakToStrongObjects()) == (false, true))
        #expect(Self.survives(.weakToWeakObjects()) == (false, false))
        let table = NSMapTable<Thing, Thing>(keyOptions: .mapTableWeakMemory, valueOptions: .strongMemory, capacity: 4)
        #expect(Self.survives(table) == (false, true))
    }

    @Test("A value goes with the last pair that holds it")
    func values() {
        let table = NSMapTable<Thing, Thing>.weakToStrongObjects()
        weak var held: Thing?
        do {
            let (key, value) = (Thing("key"), Thing("value"))
            held = value
            table.setObject(value, forKey: key)
        }
        #expect(table.count == 0)
        #expect(held == nil)
    }

    @Test("Keys that are equal are one, such as strings")
    func equalKeys() {
        let table = NSMapTable<NSString, Thing>.strongToStrongObjects()
        let (a, b) = (Thing("a"), Thing("b"))
        table.setObject(a, forKey: key("key"))
        #expect(table.object(forKey: key("key")) === a)
        #expect(table.object(forKey: key("other")) == nil)
        table.setObject(b, forKey: key("key"))
        #expect(table.count == 1)
        #expect(table.object(forKey: key("key")) === b)
        table.setObject(a, forKey: key("other"))
        table.removeObject(forKey: key("key"))
        #expect(table.object(forKey: key("key")) == nil)
        #expect(table.object(forKey: key("other")) === a)
        table.setObject(b, forKey: key("key"))
        #expect(table.count == 2)
        #expect(table.object(forKey: key("key")) === b)
    }

    @Test("Equal keys find a value that is there only")
    func weakValues() {
        let table = NSMapTable<NSString, Thing>.strongToWeakObjects()
        let kept = Thing("kept")
        do { table.setObject(Thing("gone"), forKey: key("key")) }
        #expect(table.object(forKey: key("key")) == nil)
        #expect(table.count == 0)
        table.setObject(kept, forKey: key("key"))
        #expect(table.object(forKey: key("key")) === kept)
    }

    @Test("No value takes a pair away, and no key does nothing")
    func nothing() {
        let table = NSMapTable<Thing, Thing>.strongToStrongObjects()
        let (key, value) = (Thing("key"), Thing("value"))
        table.setObject(value, forKey: key)
        table.setObject(value, forKey: nil)
        table.removeObject(forKey: nil)
        #expect(table.count == 1)
        #expect(table.object(forKey: nil) == nil)
        table.setObject(nil, forKey: key)
        #expect(table.count == 0)
        #expect(table.object(forKey: key) == nil)
    }

    @Test("Enumerators go through the pairs that are there")
    func enumerators() {
        let table = NSMapTable<Thing, Thing>.weakToWeakObjects()
        let (keys, values) = ([Thing("a"), Thing("b")], [Thing("1"), Thing("2")])
        for (key, value) in zip(keys, values) { table.setObject(value, forKey: key) }
        do {
            table.setObject(values[0], forKey: Thing("gone"))
            #expect(table.count == 2)
        }
        let foundKeys = table.keyEnumerator().allObjects.compactMap { ($0 as? Thing)?.name }
        let foundValues = table.objectEnumerator()?.allObjects.compactMap { ($0 as? Thing)?.name }
        #expect(foundKeys.sorted() == keys.map { $0.name })
        #expect(foundValues?.sorted() == values.map { $0.name })
    }

    @Test("A key at the address of one that is gone is another")
    func addresses() {
        let table = NSMapTable<Thing, Thing>.weakToStrongObjects()
        let value = Thing("value")
        for _ in 0..<1000 {
            let key = Thing("key")
            #expect(table.object(forKey: key) == nil)
            table.setObject(value, forKey: key)
            #expect(table.count == 1)
        }
    }
}

@Suite("Values of keys")
struct KeyedValueTests {
    @Test("A path of keys goes through dictionaries, and ends where there is none")
    func paths() {
        let dictionary: NSDictionary = [
            "aps": ["alert": ["title": "Hello"], "sound": "bell"] as [String: Any], "name": "app",
        ]
        #expect(dictionary.value(forKeyPath: "name") as? String == "app")
        #expect(dictionary.value(forKeyPath: "aps.sound") as? String == "bell")
        #expect(dictionary.value(forKeyPath: "aps.alert.title") as? String == "Hello")
        #expect(dictionary.value(forKeyPath: "aps.badge") == nil)
        #expect(dictionary.value(forKeyPath: "name.first") == nil)
        #expect(dictionary.value(forKeyPath: "alert.title") == nil)
    }

    @Test("Defaults have values by keys, too")
    func defaults() throws {
        let defaults = try #require(UserDefaults(suiteName: "greenroom-\(UUID().uuidString)"))
        #expect(defaults.value(forKey: "text") == nil)
        defaults.setValue("a", forKey: "text")
        #expect(defaults.string(forKey: "text") == "a")
        defaults.set(3, forKey: "number")
        #expect(defaults.value(forKey: "text") as? String == "a")
        #expect(defaults.value(forKey: "number") as? Int == 3)
        defaults.setValue(nil, forKey: "text")
        #expect(defaults.value(forKey: "text") == nil)
        #expect(defaults.integer(forKey: "number") == 3)
    }
}
