/// What an object says of itself, in the form that D-Bus defines.
enum Introspection {
    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    /// What every object has: libsystemd answers for the first of them.
    private static let standard = """
         <interface name="org.freedesktop.DBus.Peer">
          <method name="Ping"/>
          <method name="GetMachineId">
           <arg name="machine_uuid" type="s" direction="out"/>
          </method>
         </interface>
         <interface name="org.freedesktop.DBus.Introspectable">
          <method name="Introspect">
           <arg name="xml_data" type="s" direction="out"/>
          </method>
         </interface>
         <interface name="org.freedesktop.DBus.Properties">
          <method name="Get">
           <arg name="interface_name" type="s" direction="in"/>
           <arg name="property_name" type="s" direction="in"/>
           <arg name="value" type="v" direction="out"/>
          </method>
          <method name="GetAll">
           <arg name="interface_name" type="s" direction="in"/>
           <arg name="properties" type="a{sv}" direction="out"/>
          </method>
          <method name="Set">
           <arg name="interface_name" type="s" direction="in"/>
           <arg name="property_name" type="s" direction="in"/>
           <arg name="value" type="v" direction="in"/>
          </method>
          <signal name="PropertiesChanged">
           <arg name="interface_name" type="s"/>
           <arg name="changed_properties" type="a{sv}"/>
           <arg name="invalidated_properties" type="as"/>
          </signal>
         </interface>

        """

    static func document(_ interfaces: [DBusInterface], _ children: [String]) -> String {
        var text = head + "<node>\n"
        if !interfaces.isEmpty { text += standard }
        for interface in interfaces { text += describe(interface) }
        for child in children { text += " <node name=\"\(escaped(child))\"/>\n" }
        return text + "</node>\n"
    }

    private static func describe(_ interface: DBusInterface) -> String {
        var text = " <interface name=\"\(escaped(interface.name))\">\n"
        for method in interface.methods {
            text += "  <method name=\"\(escaped(method.name))\">\n"
            text += arguments(method.takes, " direction=\"in\"") + arguments(method.returns, " direction=\"out\"")
            text += "  </method>\n"
        }
        for property in interface.properties {
            let access = property.set == nil ? "read" : "readwrite"
            text += "  <property name=\"\(escaped(property.name))\" type=\"\(property.type.code)\""
            text += " access=\"\(access)\">\n"
            text += "   <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\""
            text += " value=\"\(property.change.rawValue)\"/>\n  </property>\n"
        }
        for signal in interface.signals {
            text += "  <signal name=\"\(escaped(signal.name))\">\n\(arguments(signal.carries, ""))  </signal>\n"
        }
        return text + " </interface>\n"
    }

    private static func arguments(_ arguments: KeyValuePairs<String, DBusType>, _ direction: String) -> String {
        arguments.map { "   <arg name=\"\(escaped($0.key))\" type=\"\($0.value.code)\"\(direction)/>\n" }.joined()
    }

    private static func escaped(_ text: String) -> String {
        // A mark that combines with “<” makes another character of both, and the markup begins all the same.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
