public import Foundation

extension NSDictionary {
    /// The value at a path of keys, such as `aps.alert`. Only dictionaries have keys here.
    public func value(forKeyPath path: String) -> Any? {
        var value: Any? = self
        for key in path.split(separator: ".") {
            switch value {
            case let dictionary as NSDictionary: value = dictionary.object(forKey: NSString(string: String(key)))
            case let dictionary as [AnyHashable: Any]: value = dictionary[String(key)]
            default: return nil
            }
        }
        return value
    }
}

extension UserDefaults {
    /// Sets a value.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// The value of a key.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
}
